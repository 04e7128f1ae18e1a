import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { authenticators } from './authenticators.ts';

/**
 * Service accounts whose password was rejected by their directory. No process tries the same password before
 * `retry_at`. `account_fingerprint` is an HMAC of server, account and password.
 */
export const directoryRefusals = pgTable('directory_refusals', {
  authenticator_id: uuid()
    .primaryKey()
    .references(() => authenticators.id, { onDelete: 'cascade' }),
  account_fingerprint: text().notNull(),
  refusals: integer().notNull(),
  refused_at: moment().notNull(),
  retry_at: moment().notNull(),
});
