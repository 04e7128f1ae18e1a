import { index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { groups } from './groups.ts';

/** The groups a meta group is made of; who belongs to it, `effective_groups` tells. */
export const groupParts = pgTable(
  'group_parts',
  {
    group_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'cascade' }),
    part_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.group_id, t.part_id] }), index('group_parts_part').on(t.part_id)],
);
