import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { dispatchers } from '../sites/dispatchers.ts';

/**
 * Session keys that dispatchers gave us, sealed. `subject` says whom a key speaks for: `aggregator`, or a digest
 * over the user, his rights and his address, so that a key never outlives the rights it was issued for.
 */
export const dispatcherSessions = pgTable(
  'dispatcher_sessions',
  {
    id: uuid().primaryKey(),
    dispatcher_id: uuid()
      .notNull()
      .references(() => dispatchers.id, { onDelete: 'cascade' }),
    user_id: uuid().references(() => users.id, { onDelete: 'cascade' }),
    subject: byteText().notNull(),
    sealed_key: text().notNull(),
    expires_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('dispatcher_sessions_subject').on(t.dispatcher_id, t.subject),
    index('dispatcher_sessions_user').on(t.user_id),
    index('dispatcher_sessions_expiry').on(t.expires_at),
  ],
);
