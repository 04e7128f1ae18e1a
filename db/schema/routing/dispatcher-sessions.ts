import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { dispatchers } from '../sites/dispatchers.ts';

/**
 * Sealed session keys issued by dispatchers. `subject` is `aggregator`, or a digest of the user with permissions and
 * address, so that a key is not used with other permissions than it was issued for.
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
