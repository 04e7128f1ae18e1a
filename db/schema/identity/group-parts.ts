import { index, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { groups } from './groups.ts';

/** The parts of meta groups. `effective_groups` computes the members. */
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
