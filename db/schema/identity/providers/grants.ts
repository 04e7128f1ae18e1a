import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';
import { users } from '../users.ts';

/**
 * Grants of providers, by which the sidecar asks whether a person may still use their sessions and which groups they
 * have. `sealed_grant` is the JSON of `StoredGrant`. Times are by the clock of the database. `checked_at` is the last
 * successful check, `failing_since` the first check since then that had no result; `claim` is the identifier of a running
 * one.
 */
export const providerGrants = pgTable(
  'provider_grants',
  {
    id: uuid().primaryKey(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    sealed_grant: text().notNull(),
    checked_at: moment().notNull(),
    failing_since: moment(),
    next_check_at: moment().notNull(),
    claim: uuid(),
  },
  (t) => [
    index('provider_grants_due').on(t.next_check_at),
    index('provider_grants_domain').on(t.authenticator_id, t.next_check_at),
    index('provider_grants_user').on(t.user_id),
  ],
);
