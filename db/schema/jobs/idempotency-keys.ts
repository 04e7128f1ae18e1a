import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { peers } from '../identity/peers.ts';
import { users } from '../identity/users.ts';

export type KeptRight = { permissions: string[]; scope: { sites: '*' | string[] } };

/**
 * Writes that were sent with an `Idempotency-Key`, by a user or by a peer. `fingerprint` is over method, path, query and
 * body; the answer is sealed, and absent while the work goes on (`lease_until`) or when its outcome is unknown. `rights`
 * are what the sender held then: the answer is for nobody who holds less.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    user_id: uuid().references(() => users.id, { onDelete: 'cascade' }),
    key: byteText().notNull(),
    fingerprint: text().notNull(),
    created_at: moment().notNull(),
    lease_until: moment(),
    status: integer(),
    headers: jsonb().$type<Record<string, string>>(),
    sealed_body: text(),
    peer_id: uuid().references(() => peers.id, { onDelete: 'cascade' }),
    rights: jsonb().$type<KeptRight[]>().notNull().default([]),
  },
  (t) => [
    unique('idempotency_keys_owner').on(t.user_id, t.peer_id, t.key).nullsNotDistinct(),
    check('idempotency_keys_one_owner', sql`num_nonnulls(${t.user_id}, ${t.peer_id}) = 1`),
    index('idempotency_keys_age').on(t.created_at),
  ],
);
