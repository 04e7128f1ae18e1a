import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from './columns.ts';
import { users } from './users.ts';

export type KeptRight = { permissions: string[]; scope: { sites: '*' | string[] } };

/**
 * Writes that were sent with an `Idempotency-Key`. `fingerprint` is over method, path, query and body; the answer is
 * sealed, and absent while the work goes on (`lease_until`) or when its outcome is unknown. `rights` are what the user
 * held then: the answer is for nobody who holds less.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: byteText().notNull(),
    fingerprint: text().notNull(),
    created_at: moment().notNull(),
    lease_until: moment(),
    status: integer(),
    headers: jsonb().$type<Record<string, string>>(),
    sealed_body: text(),
    rights: jsonb().$type<KeptRight[]>().notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.key] }), index('idempotency_keys_age').on(t.created_at)],
);
