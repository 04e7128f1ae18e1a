import { index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';

/**
 * Failed login attempts by account and network. `account` is the domain id and the folded name, also of unknown
 * accounts; `network` is an IPv4 address or an IPv6 /64. `*` stands for all: an account from all networks, a network
 * for all accounts, or all attempts. Only these rows have `counted_from`, the start of the current counting period.
 */
export const loginLocks = pgTable(
  'login_locks',
  {
    account: byteText().notNull(),
    network: byteText().notNull(),
    failures: integer().notNull().default(0),
    locks: integer().notNull().default(0),
    locked_until: moment(),
    last_failure_at: moment(),
    last_good_at: moment(),
    counted_from: moment(),
  },
  (t) => [
    primaryKey({ columns: [t.account, t.network] }),
    index('login_locks_failure').on(t.last_failure_at),
  ],
);
