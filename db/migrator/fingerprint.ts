import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

/**
 * The definitions of columns, constraints and indexes of the tables in `public`, without tables of extensions. Among the
 * constraints are also triggers, which belong to `db/sql`, and since PostgreSQL 18 NOT NULL: neither is read.
 */
const definitions = `
  with tables as (
    select oid, relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  ), parts (oid, definition) as (
    select attrelid, concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod),
      case when attcollation <> typcollation then 'collate ' || collname end,
      case when attnotnull then 'not null' end,
      'identity ' || nullif(attidentity::text, ''),
      'generated ' || nullif(attgenerated::text, ''),
      'default ' || pg_get_expr(adbin, adrelid))
    from pg_attribute
      join pg_type on pg_type.oid = atttypid
      left join pg_collation on pg_collation.oid = attcollation
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select conrelid, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(oid))
    from pg_constraint where contype in ('p', 'u', 'f', 'c', 'x')
    union all
    select indrelid, concat_ws(' ', pg_get_indexdef(indexrelid), case when not indisvalid then 'invalid' end)
    from pg_index
  )
  select relname as name, definition from tables join parts using (oid)`;

/**
 * Whether names in a definition are qualified depends on the search path, and whether they are quoted depends on the
 * keywords of the PostgreSQL version.
 */
const normalized = (definition: string): string => definition.replaceAll(/\bpublic\.|"/g, '');

/**
 * One digest for each table in `public`. It does not depend on the order of columns, owners, object identifiers, or the
 * version of PostgreSQL.
 */
export async function tableDigests(client: ClientBase): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(definitions);
  const tables = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries(
    [...tables.keys()]
      .toSorted()
      .map((name) => [
        name,
        digest((tables.get(name) ?? []).map(({ definition }) => normalized(definition))),
      ]),
  );
}

const digest = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16);
