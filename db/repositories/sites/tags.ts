import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { withPossibleNotice } from '../../postgres/work-notice.ts';
import { auditEvents } from '../../schema/audit/events.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import { farms } from '../../schema/sites/farms.ts';
import { portals } from '../../schema/sites/portals.ts';
import { tags as table } from '../../schema/sites/tags.ts';
import { type AuditEntry, auditRow } from '../audit/events.ts';
import type { ReadableSites } from '../records/bulk.ts';
import { records } from '../records/records.ts';
import { type Scope, within } from '../records/scope.ts';
import { derived, must } from '../records/statements.ts';

type Tagged = PgTable & {
  id: PgColumn;
  name: PgColumn;
  tags: PgColumn;
  revision: PgColumn;
  updated_at: PgColumn;
};

/** Our objects with tags. Objects refer to tags by name. */
const tagged = { authenticator: authenticators, portal: portals } satisfies Partial<
  Record<ResourceType, Tagged>
>;
export type TaggedType = keyof typeof tagged;
export type TaggedObject = { type: TaggedType; id: string };
export const taggedTypes = Object.keys(tagged) as [TaggedType, ...TaggedType[]];

/** The audit event of an object whose tags change, without the object and its changes. */
export type AuditOfTagged = (type: TaggedType) => AuditEntry;

/** Maximum number of tags of an object. */
const maxTags = 50;

/** The condition that an object carries the tag; names are compared case-insensitively. */
const carries = (object: Tagged, key: SQL | PgColumn): SQL =>
  sql`exists(select 1 from unnest(${object.tags}) as tag where lower(tag) = ${key})`;

const isCarriedBy = (object: Tagged): SQL =>
  sql`exists(select 1 from ${object} where ${carries(object, table.name_key)})`;

const usesOf = (object: Tagged): SQL =>
  sql`(select count(*)::int from ${object} where ${carries(object, table.name_key)})`;

/**
 * Tags of dispatchers are visible with a site in the scope whose farms report them; manual tags are visible
 * everywhere.
 */
const tagsWithin = (scope: Scope): SQL | undefined =>
  scope === '*'
    ? undefined
    : sql`(${table.source} = 'manual' or exists(
        select 1 from ${farmTags} join ${farms} on ${farms.id} = ${farmTags.farm_id}
        where ${farmTags.name_key} = ${table.name_key} and ${within(farms.site_id, scope)}))`;

/** The condition that one of our objects carries the tag. */
export const isCarried: SQL = sql`(${isCarriedBy(authenticators)} or ${isCarriedBy(portals)})`;

export const tags = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    color: table.color,
    comments: table.comments,
    source: table.source,
    objects_count: derived<number>(sql`${usesOf(authenticators)} + ${usesOf(portals)}`),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  within: tagsWithin,
  search: [table.name_key],
  filters: { source: (value: string) => sql`${table.source} = ${value}` },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  unique: { '/name': ['name_key'] },
});

/** Inserts missing tags. Tag names contain only characters that `lower` folds. */
export function registerTags(h: Db, names: readonly string[]): Statement[] {
  if (names.length === 0) return [];
  return [
    h
      .insert(table)
      .select(
        sql`select gen_random_uuid(), now(), now(), 1, name, lower(name), null, '', 'manual'
          from unnest(${sql.param(names)}::text[]) as name`,
      )
      .onConflictDoNothing(),
  ];
}

/** Renames the tag in all objects, which refer to it by name. */
export const renameTag = (h: Db, fromKey: string, to: string, auditOf: AuditOfTagged): Statement[] =>
  taggedTypes.map((type) =>
    setTags(
      h,
      type,
      sql`array(select case when lower(tag) = ${fromKey} then ${to} else tag end from unnest(${tagged[type].tags}) with ordinality as t(tag, n) order by n)`,
      carries(tagged[type], sql`${fromKey}`),
      auditOf,
    ),
  );

/** Adds the tag to an object; fails the batch if the object does not exist or has too many tags. */
export function attachTag(
  h: Db,
  name: string,
  { type, id }: TaggedObject,
  pointer: string,
  auditOf: AuditOfTagged,
): Statement[] {
  const object = tagged[type];
  const key = sql`lower(${name})`;
  return [
    must(h, sql`exists(select 1 from ${object} where ${object.id} = ${id})`, `dangling:${pointer}`),
    setTags(
      h,
      type,
      sql`array_append(${object.tags}, ${name}::text)`,
      sql`${object.id} = ${id} and not ${carries(object, key)}`,
      auditOf,
    ),
    must(
      h,
      sql`exists(select 1 from ${object} where ${object.id} = ${id} and cardinality(${object.tags}) <= ${maxTags})`,
      'invalid_state:too_many_tags',
    ),
  ];
}

/** Removes the tag from an object; does nothing if the object does not exist or does not carry the tag. */
export function detachTag(
  h: Db,
  name: string,
  { type, id }: TaggedObject,
  auditOf: AuditOfTagged,
): Statement {
  const object = tagged[type];
  const key = sql`lower(${name})`;
  return setTags(
    h,
    type,
    sql`array(select tag from unnest(${object.tags}) with ordinality as t(tag, n) where lower(tag) <> ${key} order by n)`,
    sql`${object.id} = ${id} and ${carries(object, key)}`,
    auditOf,
  );
}

/** Fails the batch while an object carries the tag. */
export const mustBeUnused = (h: Db, key: string): Statement =>
  must(
    h,
    sql`not (${sql.join(
      Object.values(tagged).map(
        (object) => sql`exists(select 1 from ${object} where ${carries(object, sql`${key}`)})`,
      ),
      sql` or `,
    )})`,
    'in_use',
  );

/** Returns up to ten readable objects that carry the tag, for the error `in_use`. */
export async function objectsWithTag(
  db: Db,
  key: string,
  reading: ReadableSites,
): Promise<{ type: string; id: string; name: string }[]> {
  const found: { type: string; id: string; name: string }[] = [];
  // In sequence, because a transaction has one connection.
  for (const type of taggedTypes.filter((one) => reading(one) !== undefined)) {
    const object: Tagged = tagged[type];
    const rows = await db
      .select({
        type: sql<string>`${type}::text`,
        id: sql<string>`${object.id}`,
        name: sql<string>`${object.name}`,
      })
      .from(object)
      .where(carries(object, sql`${key}`))
      .limit(10);
    found.push(...rows);
  }
  return found.slice(0, 10);
}

/**
 * A change of the tags increments the revision of the object, so that concurrent writers must read it again. Each changed
 * object gets an audit event.
 */
function setTags(h: Db, type: TaggedType, value: SQL, where: SQL, auditOf: AuditOfTagged): Statement {
  const object: Tagged = tagged[type];
  const { id, name, revision, tags: before } = object;
  const former = h.$with('former').as(
    h
      .select({ id, before: sql`${before}`.as('before') })
      .from(object)
      .where(where)
      .for('update'),
  );
  const changed = h.$with('changed').as(
    h
      .update(object)
      .set({ tags: value, revision: sql`${revision} + 1`, updated_at: sql`now()` })
      .from(former)
      .where(sql`${id} = ${former.id}`)
      .returning({
        id,
        name,
        revision,
        before: sql`${former.before}`.as('before'),
        after: sql`${object.tags}`.as('after'),
      }),
  );
  const row = auditRow(auditOf(type), {
    id: sql`gen_random_uuid()`,
    object_id: sql`changed.id::text`,
    object_name: sql`changed.name`,
    changes: sql`jsonb_build_array(jsonb_build_object('field', 'tags', 'before', changed.before, 'after', changed.after))`,
    details: sql`jsonb_build_object('revision', changed.revision)`,
  });
  return withPossibleNotice(h.with(former, changed).insert(auditEvents).select(sql`${row} from ${changed}`));
}
