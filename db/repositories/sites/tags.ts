import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { ResourceType } from '../../../shared/resources.ts';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import { farms } from '../../schema/sites/farms.ts';
import { portals } from '../../schema/sites/portals.ts';
import { tags as table } from '../../schema/sites/tags.ts';
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

/** Maximum number of tags of an object. */
export const maxTags = 50;

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
export const renameTag = (h: Db, fromKey: string, to: string): Statement[] =>
  Object.values(tagged).map((object) =>
    setTags(
      h,
      object,
      sql`array(select case when lower(tag) = ${fromKey} then ${to} else tag end from unnest(${object.tags}) with ordinality as t(tag, n) order by n)`,
      carries(object, sql`${fromKey}`),
    ),
  );

/** Adds the tag to an object; fails the batch if the object does not exist or has too many tags. */
export function attachTag(h: Db, name: string, { type, id }: TaggedObject, pointer: string): Statement[] {
  const object = tagged[type];
  const key = sql`lower(${name})`;
  return [
    must(h, sql`exists(select 1 from ${object} where ${object.id} = ${id})`, `dangling:${pointer}`),
    setTags(
      h,
      object,
      sql`array_append(${object.tags}, ${name}::text)`,
      sql`${object.id} = ${id} and not ${carries(object, key)}`,
    ),
    must(
      h,
      sql`exists(select 1 from ${object} where ${object.id} = ${id} and cardinality(${object.tags}) <= ${maxTags})`,
      'invalid_state:too_many_tags',
    ),
  ];
}

/** Removes the tag from an object; does nothing if the object does not exist or does not carry the tag. */
export function detachTag(h: Db, name: string, { type, id }: TaggedObject): Statement {
  const object = tagged[type];
  const key = sql`lower(${name})`;
  return setTags(
    h,
    object,
    sql`array(select tag from unnest(${object.tags}) with ordinality as t(tag, n) where lower(tag) <> ${key} order by n)`,
    sql`${object.id} = ${id} and ${carries(object, key)}`,
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

/** A change of the tags increments the revision of the object, so that concurrent writers must read it again. */
const setTags = (h: Db, object: Tagged, value: SQL, where: SQL): Statement =>
  h
    .update(object)
    .set({ tags: value, revision: sql`${object.revision} + 1`, updated_at: sql`now()` })
    .where(where);
