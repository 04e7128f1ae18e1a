import type { PGlite } from '@electric-sql/pglite';
import { defaultRoles } from '../../../db/roles.ts';

const { owner } = defaultRoles;
const schemas = `('public', 'drizzle', 'pgboss')`;
/** The superuser created by `initdb`. REASSIGN OWNED is rejected for it, so each object is changed separately. */
const bootstrapSuperuser = 10;

const misownedObjects = `
  with places as (select oid, nspname from pg_namespace where nspname in ${schemas}),
  misowned as (
    select c.oid, 'pg_class'::regclass as kind, 'alter table ' as command, format('%I.%I', nspname, relname) as name
    from places join pg_class c on relnamespace = places.oid and relowner = ${bootstrapSuperuser}
    where relkind in ('r', 'p', 'v', 'm', 'f') or (relkind = 'S' and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')))
    union all
    select p.oid, 'pg_proc'::regclass, 'alter routine ',
      format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid))
    from places join pg_proc p on pronamespace = places.oid and proowner = ${bootstrapSuperuser}
    union all
    select t.oid, 'pg_type'::regclass, 'alter type ', format('%I.%I', nspname, typname)
    from places join pg_type t on typnamespace = places.oid and typowner = ${bootstrapSuperuser}
    where typtype in ('e', 'd', 'r') or (typtype = 'c' and exists (
      select from pg_class c where c.oid = typrelid and relkind = 'c'))
    union all
    select s.oid, 'pg_statistic_ext'::regclass, 'alter statistics ', format('%I.%I', nspname, stxname)
    from places join pg_statistic_ext s on stxnamespace = places.oid and stxowner = ${bootstrapSuperuser}
  )
  select command || name || ' owner to ${owner}' as statement from misowned
  where not exists (
    select from pg_depend d where d.classid = kind and d.objid = misowned.oid and d.deptype = 'e')`;

/** One statement per deviation; none for a prepared database. */
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
  from pg_namespace where nspname in ${schemas} and nspowner = ${bootstrapSuperuser}`;

/**
 * Creates the roles, and transfers the database and its objects to the owner, including those created by an earlier
 * version as `postgres`. Members of extensions are not changed. An interrupted call is completed by the next one.
 */
export async function prepareRoles(database: PGlite): Promise<void> {
  for (const query of [missing, misownedObjects]) {
    const { rows } = await database.query<{ statement: string }>(query);
    if (rows.length > 0) await database.exec(rows.map(({ statement }) => statement).join(';'));
  }
}
