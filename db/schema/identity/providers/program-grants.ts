import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';
import { loginSessions } from '../login-sessions.ts';

/**
 * Requests of client programs for a session of a person (RFC 8252, RFC 8628). `code_hash` is the SHA-256 of the
 * authorization code or of the device code. A program with a loopback address has a row only after the consent.
 * `allowed_by` is the browser session of the person who consented, and `session_id` the session that the program
 * received. A used row is kept until `kept_until`, so that a second use of its code ends the session.
 */
export const programGrants = pgTable(
  'program_grants',
  {
    id: uuid().primaryKey(),
    kind: text().$type<'loopback' | 'device'>().notNull(),
    state: text().$type<'waiting' | 'allowed' | 'denied' | 'used' | 'revoked'>().notNull(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    code_hash: byteText().notNull(),
    user_code_hash: byteText(),
    program: text().notNull(),
    portal: text().$type<'admin' | 'user'>(),
    source_ip: byteText().notNull(),
    code_challenge: text(),
    redirect_uri: text(),
    interval_s: integer().notNull(),
    polled_at: moment(),
    created_at: moment().notNull(),
    expires_at: moment().notNull(),
    kept_until: moment().notNull(),
    allowed_by: uuid().references(() => loginSessions.id, { onDelete: 'set null' }),
    session_id: uuid().references(() => loginSessions.id, { onDelete: 'set null' }),
  },
  (t) => [
    uniqueIndex('program_grants_code').on(t.code_hash),
    uniqueIndex('program_grants_user_code').on(t.user_code_hash),
    index('program_grants_domain').on(t.authenticator_id),
    index('program_grants_age').on(t.kept_until),
    index('program_grants_source').on(t.source_ip, t.expires_at),
    index('program_grants_allowed').on(t.allowed_by),
    index('program_grants_session').on(t.session_id),
  ],
);
