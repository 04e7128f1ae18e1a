import type { PGlite } from '@electric-sql/pglite';
import { defaultRoles } from '../../../db/roles.ts';

const { owner } = defaultRoles;
const schemas = `('public', 'drizzle', 'pgboss')`;

/** REASSIGN OWNED is refused for the superuser that `initdb` made, hence object by object. */
const misownedObjects = `
  with mine as (
    select c.oid, 'pg_class'::regclass as kind, c.relowner as owned_by, c.relnamespace as schema_oid,
      'alter table ' as command, format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') or (c.relkind = 'S' and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
    union all
    select p.oid, 'pg_proc'::regclass, p.proowner, p.pronamespace, 'alter routine ',
      format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    union all
    select t.oid, 'pg_type'::regclass, t.typowner, t.typnamespace, 'alter type ', format('%I.%I', n.nspname, t.typname)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typtype in ('e', 'd', 'r') or (t.typtype = 'c' and exists (
      select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
    union all
    select s.oid, 'pg_statistic_ext'::regclass, s.stxowner, s.stxnamespace, 'alter statistics ',
      format('%I.%I', n.nspname, s.stxname)
    from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace
  )
  select command || name || ' owner to ${owner}' as statement
  from mine
  where owned_by = (select oid from pg_authid where rolname = 'postgres')
    and schema_oid in (select oid from pg_namespace where nspname in ${schemas})
    and not exists (
      select from pg_depend d where d.classid = kind and d.objid = mine.oid and d.deptype = 'e')`;

/** One statement for each thing that is not as it should be: none for a database that was prepared before. */
const missing = `
  with wanted (name) as (values ${Object.values(defaultRoles)
    .map((name) => `('${name}'::name)`)
    .join(', ')})
  select format('create role %I login', name) as statement from wanted
  where name not in (select rolname from pg_authid)
  union all
  select format('alter role %I login nosuperuser nocreaterole nocreatedb noreplication nobypassrls', name)
  from wanted join pg_authid on rolname = name
  where not rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
  union all
  select 'alter database postgres owner to ${owner}' from pg_database join pg_authid a on a.oid = datdba
  where datname = 'postgres' and a.rolname <> '${owner}'
  union all
  select 'revoke create, temporary on database postgres from public' from pg_database
  where datname = 'postgres' and exists (
    select from aclexplode(coalesce(datacl, acldefault('d', datdba)))
    where grantee = 0 and privilege_type in ('CREATE', 'TEMPORARY'))
  union all
  select 'revoke create on schema public from public' from pg_namespace
  where nspname = 'public' and exists (
    select from aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
    where grantee = 0 and privilege_type = 'CREATE')
  union all
  select format('alter schema %I owner to ${owner}', nspname)
  from pg_namespace join pg_authid a on a.oid = nspowner
  where nspname in ${schemas} and a.rolname = 'postgres'`;

/**
 * Makes the roles, and gives the database and its objects to the owner, also those that an earlier version made as
 * `postgres`. Members of extensions stay as they are. An interrupted call is completed by the next one.
 */
export async function prepareRoles(database: PGlite): Promise<void> {
  for (const query of [missing, misownedObjects]) {
    const { rows } = await database.query<{ statement: string }>(query);
    if (rows.length > 0) await database.exec(rows.map(({ statement }) => statement).join(';'));
  }
}
