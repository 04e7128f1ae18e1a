import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from './columns.ts';
import { users } from './users.ts';

/**
 * Writes that were sent with an `Idempotency-Key`. `fingerprint` is over method, path, query and body; the answer is
 * sealed, and absent while the work goes on (`lease_until`) or when its outcome is unknown.
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
  },
  (t) => [primaryKey({ columns: [t.user_id, t.key] }), index('idempotency_keys_age').on(t.created_at)],
);
