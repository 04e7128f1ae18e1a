import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, ignoredIndex, snapshotColumns } from '../columns.ts';
import { dispatchers } from './dispatchers.ts';
import { farms } from './farms.ts';

/** Tags reported by the nodes of a farm. A tag without an identifier gets one derived from its name. */
export const farmTags = pgTable(
  'farm_tags',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    name: text().notNull(),
    name_key: byteText().notNull(),
    dispatcher_id: uuid().references(() => dispatchers.id, { onDelete: 'set null' }),
  },
  (t) => [
    uniqueIndex('farm_tags_uuid').on(t.farm_id, t.uuid),
    index('farm_tags_name').on(t.name_key),
    ignoredIndex('farm_tags_ignored', t),
  ],
);
