import { pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { images } from './images.ts';

/**
 * The gallery: stored images that have a name and remain without a rule that shows them. An image of a rule that is not
 * in the gallery is deleted with its last use.
 */
export const pictures = pgTable(
  'pictures',
  {
    ...recordColumns,
    id: uuid()
      .primaryKey()
      .references(() => images.id, { onDelete: 'restrict' }),
    name: text().notNull(),
    name_key: byteText().notNull(),
  },
  (t) => [uniqueIndex('pictures_name_key').on(t.name_key)],
);
