import { index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';

/**
 * Failed attempts per account and network. `account` is the domain id and the folded name, known or not;
 * `network` an IPv4 address or an IPv6 /64. `*` is all of them, and its row a wider limit: of an account wherever from, of a
 * network whomever about, of all attempts. Only such rows have `counted_from`, where the counting of `failures` began.
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
