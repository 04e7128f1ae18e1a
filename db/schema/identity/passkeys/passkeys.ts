import { bigint, boolean, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../../columns.ts';
import { users } from '../users.ts';

/**
 * Passkeys of users (WebAuthn credentials). `public_key` is the COSE key, in base64url like both identifiers.
 * `user_handle` is the random identifier of the user in the authenticators, the same for all passkeys of a user.
 * `blocked_at` is set after a signature with a counter that was used before, which can come from a copy.
 */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    user_handle: text().notNull(),
    credential_id: byteText().notNull(),
    public_key: text().notNull(),
    counter: bigint({ mode: 'number' }).notNull(),
    transports: text().array().notNull().default([]),
    synced: boolean().notNull(),
    backed_up: boolean().notNull(),
    name: text().notNull(),
    created_at: moment().notNull(),
    last_used_at: moment(),
    blocked_at: moment(),
  },
  (t) => [
    uniqueIndex('passkeys_credential').on(t.credential_id),
    index('passkeys_user').on(t.user_id, t.created_at),
  ],
);

/**
 * Recovery codes for users who had no authenticator app when they added their first passkey; each is deleted after use.
 * Only the SHA-256 is stored. Those of an authenticator app replace them.
 */
export const passkeyRecoveryCodes = pgTable(
  'passkey_recovery_codes',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    code_hash: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.code_hash] })],
);
