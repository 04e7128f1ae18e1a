import { boolean, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';

/**
 * Views of lists that users have saved: a name for a search with filters, order and columns. `list` is the type of the
 * records. `query` is the query of the list in the console.
 */
export const savedViews = pgTable(
  'saved_views',
  {
    id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** At most 64 characters. */
    list: byteText().notNull(),
    name: text().notNull(),
    name_key: byteText().notNull(),
    /** At most 2,000 characters. */
    query: text().notNull(),
    is_default: boolean().notNull().default(false),
    created_at: moment().notNull(),
  },
  (t) => [uniqueIndex('saved_views_name').on(t.user_id, t.list, t.name_key)],
);
