import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { peers } from '../identity/peers.ts';
import { users } from '../identity/users.ts';

export type StoredRight = { permissions: string[]; scope: { sites: '*' | string[] } };

/**
 * Writes with an `Idempotency-Key`, by user or peer. `fingerprint` covers method, path, query and body. The response
 * is sealed; it is absent while the request runs (`lease_until`) or if its outcome is unknown. `rights` are the
 * permissions of the sender: the response is only returned to a caller who has them.
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
    rights: jsonb().$type<StoredRight[]>().notNull().default([]),
  },
  (t) => [
    unique('idempotency_keys_owner').on(t.user_id, t.peer_id, t.key).nullsNotDistinct(),
    check('idempotency_keys_one_owner', sql`num_nonnulls(${t.user_id}, ${t.peer_id}) = 1`),
    index('idempotency_keys_age').on(t.created_at),
  ],
);
