import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';
import { loginSessions } from '../login-sessions.ts';

/**
 * Sign-ins at a provider that only show what it sends. Only the browser session that asked for one can begin and read it.
 * `sealed_result` is null until the provider has answered, and is the JSON of `SignInTestResult`.
 */
export const signInTests = pgTable(
  'sign_in_tests',
  {
    id: uuid().primaryKey(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    session_id: uuid()
      .notNull()
      .references(() => loginSessions.id, { onDelete: 'cascade' }),
    sealed_result: text(),
    expires_at: moment().notNull(),
  },
  (t) => [
    index('sign_in_tests_domain').on(t.authenticator_id),
    index('sign_in_tests_session').on(t.session_id),
    index('sign_in_tests_expiry').on(t.expires_at),
  ],
);
