import { boolean, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from './users.ts';

/**
 * Tokens of service users, and tokens that persons created for themselves (`own`), with at most the permissions of the
 * user. Only the SHA-256 is stored. `scopes` are the scopes in which the creator held each permission; the token cannot
 * exceed them.
 */
export const serviceTokens = pgTable(
  'service_tokens',
  {
    id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    name_key: byteText().notNull(),
    token_hash: text().notNull(),
    permissions: text().array().notNull().default([]),
    scopes: jsonb().$type<Record<string, '*' | string[]>>().notNull().default({}),
    created_at: moment().notNull(),
    expires_at: moment().notNull(),
    last_seen_at: moment(),
    own: boolean().notNull().default(false),
  },
  (t) => [
    uniqueIndex('service_tokens_hash').on(t.token_hash),
    uniqueIndex('service_tokens_name_key').on(t.user_id, t.name_key),
    index('service_tokens_expiry').on(t.expires_at),
  ],
);
