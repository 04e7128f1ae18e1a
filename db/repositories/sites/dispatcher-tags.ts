import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import { tags as table } from '../../schema/sites/tags.ts';
import { lockGuard } from '../records/statements.ts';
import { isCarried } from './tags.ts';

const isKnown = sql`exists(select 1 from ${farmTags} where ${farmTags.name_key} = ${table.name_key})`;

/** Tags of dispatchers that no farm reports any more and no object carries. */
export const isObsoleteTag: SQL = sql`${table.source} = 'dispatcher' and not ${isKnown} and not ${isCarried}`;

/**
 * Updates our tags after the tags of one farm have changed, in the batch of that change. A manual tag with the same
 * name is unchanged. A tag that no farm reports any more is deleted, or becomes manual while objects carry it.
 */
export const reconcileTags = (h: Db): Statement[] => [
  // Serialises concurrent changes: a tag dropped by one farm may be added by another at the same time.
  lockGuard(h, 'tags'),
  h
    .insert(table)
    .select(
      sql`select gen_random_uuid(), now(), now(), 1, fresh.name, fresh.name_key, null, '', 'dispatcher'
        from (select distinct on (${farmTags.name_key}) ${farmTags.name}, ${farmTags.name_key} from ${farmTags}
          order by ${farmTags.name_key}, ${farmTags.name}) fresh
        where not exists(select 1 from ${table} where ${table.name_key} = fresh.name_key)`,
    )
    .onConflictDoNothing(),
  h.delete(table).where(isObsoleteTag),
  h
    .update(table)
    .set({ source: 'manual', revision: sql`${table.revision} + 1`, updated_at: sql`now()` })
    .where(and(eq(table.source, 'dispatcher'), sql`not ${isKnown}`)),
];
