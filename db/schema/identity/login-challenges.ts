import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from './users.ts';

/**
 * Users who have entered the correct password and still need a code, with their network. `sealed_secret` is the
 * secret of an enrolment, which the first valid code completes. An enrolment started by a session has the session's
 * id as `id` and `session_id`.
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
