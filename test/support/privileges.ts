import type pg from 'pg';

/**
 * Returns the privileges of a role beyond those of an account that can only log in, one per line, from PostgreSQL's
 * catalogs: its attributes and memberships, and its privileges on each object that does not belong to PostgreSQL or
 * an extension, by any grantor, including those of PUBLIC.
 */
export async function privilegesOf(client: pg.ClientBase, role: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `with own as (
       select 'role ' || attribute as line from pg_roles, lateral (values
         ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb),
         ('replication', rolreplication), ('bypassrls', rolbypassrls)) a (attribute, has)
       where rolname = $1 and has
       union all
       select 'member of ' || roleid::regrole from pg_auth_members where member = $1::regrole
       union all
       select 'database ' || privilege from unnest('{CONNECT,CREATE,TEMPORARY}'::text[]) privilege
       where has_database_privilege($1, current_database(), privilege)
       union all
       select 'parameter ' || parname || ' ' || privilege_type from pg_parameter_acl, aclexplode(paracl)
       where grantee in (0, $1::regrole)
       union all
       select 'schema ' || nspname || ' ' || string_agg(privilege, ',' order by privilege)
       from pg_namespace, unnest('{CREATE,USAGE}'::text[]) privilege
       where nspname !~ '^pg_|^information_schema$' and has_schema_privilege($1, oid, privilege) group by nspname
       union all
       select 'table ' || c.oid::regclass || ' ' || string_agg(privilege, ',' order by privilege)
       from pg_class c join pg_namespace n on n.oid = relnamespace,
         unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) privilege
       where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^pg_|^information_schema$'
         and has_table_privilege($1, c.oid, privilege) group by c.oid
       union all
       select 'column ' || attrelid::regclass || '.' || attname || ' ' || privilege_type
       from pg_attribute, aclexplode(attacl)
       where grantee in (0, $1::regrole) and attrelid::regclass::text not like 'pg\\_%'
       union all
       select 'sequence ' || c.oid::regclass || ' ' || string_agg(privilege, ',' order by privilege)
       from pg_class c join pg_namespace n on n.oid = relnamespace,
         unnest('{SELECT,UPDATE,USAGE}'::text[]) privilege
       where relkind = 'S' and nspname !~ '^pg_' and has_sequence_privilege($1, c.oid, privilege) group by c.oid
       union all
       select 'function ' || p.oid::regprocedure || ' EXECUTE' from pg_proc p join pg_namespace n on n.oid = pronamespace
       where nspname not in ('pg_catalog', 'information_schema') and has_schema_privilege($1, n.oid, 'USAGE')
         and has_function_privilege($1, p.oid, 'EXECUTE')
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
       union all
       select 'default privileges of ' || defaclrole::regrole from pg_default_acl
     )
     select line from own order by line collate "C"`,
    [role],
  );
  return rows.map(({ line }) => line);
}
