import { sql } from 'drizzle-orm';
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { authenticators } from './authenticators.ts';

/**
 * Pending certificate logins that wait for a signature. `token_hash` is the SHA-256 of the client's login token.
 * `sealed_state` contains our half of the key that decrypts the answer of the KDC. A row is deleted before it is
 * used. `begun_at` is by the clock of the database, like `access_ended_at` of users and domains.
 */
export const pkinitChallenges = pgTable(
  'pkinit_challenges',
  {
    token_hash: byteText().primaryKey(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    sealed_state: text().notNull(),
    begun_at: moment().notNull().default(sql`now()`),
    expires_at: moment().notNull(),
  },
  (t) => [
    index('pkinit_challenges_expiry').on(t.expires_at),
    index('pkinit_challenges_domain').on(t.authenticator_id),
  ],
);
