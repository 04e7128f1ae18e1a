import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';

/** Tags. Objects refer to them by name (`authenticators.tags`, `portals.tags`). */
export const tags = pgTable(
  'tags',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    color: text(),
    comments: text().notNull().default(''),
    source: text().$type<'manual' | 'dispatcher'>().notNull().default('manual'),
  },
  (t) => [uniqueIndex('tags_name_key').on(t.name_key)],
);
