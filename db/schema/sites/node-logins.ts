import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * Logins of the portal at brokers that run, or were refused. A login that succeeds leaves no row. `credentials` is a
 * digest of the sealed password with the account, so it reveals nothing of the password.
 */
export const nodeLogins = pgTable(
  'node_logins',
  {
    /** As in `https://vdi.example.com:8443`. */
    origin: text().notNull(),
    credentials: text().notNull(),
    state: text().$type<'running' | 'refused'>().notNull(),
    changed_at: moment().notNull(),
    /** Until this time no other login with the credentials begins. */
    held_until: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.origin, t.credentials] }), index('node_logins_held').on(t.held_until)],
);
