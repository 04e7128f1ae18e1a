import { sql } from 'drizzle-orm';
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';
import { loginSessions } from '../login-sessions.ts';
import { providerGrants } from './grants.ts';

/**
 * Facts of the provider about sessions that began there. `sub` and `sid` are those of the ID token, which logout tokens
 * contain. `authenticated_at` is the time at which the person has authenticated there, if the portal has asked for it, until it is used. `sealed_id_token` is sent back at the logout; it is null if the domain does not log out at the provider. Sessions of
 * client programs have the grant of the browser session that allowed them.
 */
export const providerSessions = pgTable(
  'provider_sessions',
  {
    session_id: uuid()
      .primaryKey()
      .references(() => loginSessions.id, { onDelete: 'cascade' }),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    issuer: byteText().notNull(),
    sub: byteText().notNull(),
    sid: byteText(),
    sealed_id_token: text(),
    authenticated_at: moment(),
    grant_id: uuid().references(() => providerGrants.id, { onDelete: 'set null' }),
  },
  (t) => [
    index('provider_sessions_sub').on(t.authenticator_id, t.sub),
    index('provider_sessions_sid').on(t.authenticator_id, t.sid),
    index('provider_sessions_grant').on(t.grant_id),
  ],
);

/**
 * Logins that a provider has accepted, and that wait for a second factor of the portal. `token_hash` is the SHA-256 of
 * the cookie. A row is deleted when its login succeeds. `begun_at` is by the clock of the database, like
 * `access_ended_at` of users and domains.
 */
export const providerLogins = pgTable(
  'provider_logins',
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
    index('provider_logins_expiry').on(t.expires_at),
    index('provider_logins_domain').on(t.authenticator_id),
  ],
);

/**
 * Values that count once: the state of a sign-in, and the `jti` of a logout token. `digest` is the SHA-256 of the value
 * with its domain. Rows are kept until the value has expired, also if the domain is deleted.
 */
export const usedProviderValues = pgTable(
  'used_provider_values',
  {
    digest: byteText().primaryKey(),
    kept_until: moment().notNull(),
  },
  (t) => [index('used_provider_values_age').on(t.kept_until)],
);
