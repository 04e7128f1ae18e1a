import { index, pgTable } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../../columns.ts';

/** SHA-256 of WebAuthn challenges that were presented, until they expire. A challenge is accepted once. */
export const spentPasskeyChallenges = pgTable(
  'spent_passkey_challenges',
  {
    challenge_hash: byteText().primaryKey(),
    expires_at: moment().notNull(),
  },
  (t) => [index('spent_passkey_challenges_expiry').on(t.expires_at)],
);
