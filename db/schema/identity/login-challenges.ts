import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from './users.ts';

/**
 * Who has shown the right password and owes a code, from which network. `sealed_secret` is that of an enrolment, which
 * the first right code finishes. An enrolment that a session began has the session's id, here and in `session_id`.
 */
export const loginChallenges = pgTable(
  'login_challenges',
  {
    id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    network: byteText().notNull(),
    session_id: uuid(),
    sealed_secret: text(),
    wrong_codes: integer().notNull().default(0),
    expires_at: moment().notNull(),
  },
  (t) => [index('login_challenges_user').on(t.user_id, t.expires_at)],
);
