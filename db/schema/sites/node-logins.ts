import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { dispatchers } from './dispatchers.ts';

/**
 * Accounts of the portal at brokers, with the state of their logins: `free`, `running`, `refused` by the broker, `tested`
 * (refused in a connection test), or `paused` because the broker has refused others. `credentials` is a digest of the
 * sealed password with the account, so it reveals nothing of the password.
 */
export const nodeLogins = pgTable(
  'node_logins',
  {
    /** As in `https://vdi.example.com:8443`. */
    origin: text().notNull(),
    credentials: text().notNull(),
    /** Null for the account of a test. */
    dispatcher_id: uuid().references(() => dispatchers.id, { onDelete: 'cascade' }),
    state: text().$type<'free' | 'running' | 'refused' | 'tested' | 'paused'>().notNull(),
    changed_at: moment().notNull(),
    /** When the broker accepted the account last. Null after a refusal. */
    accepted_at: moment(),
    /** The first login that was refused or not tried since then. */
    refused_at: moment(),
    /** Until this time no other login with the credentials begins. */
    held_until: moment().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.origin, t.credentials] }),
    index('node_logins_held').on(t.held_until),
    index('node_logins_dispatcher').on(t.dispatcher_id),
  ],
);
