import { isNull, sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from './columns.ts';
import { dispatchers } from './dispatchers.ts';
import { users } from './users.ts';

/**
 * Session keys that dispatchers gave us, sealed. `subject` is the holder of a key: `aggregator`, or a digest over the user,
 * the rights of the user and the address, so that a key never outlives the rights it was issued for. A key with `ended_at`,
 * or of a user that was deleted, is never used again: it stays until its node has logged it out or it expires.
 * `log_out_after` is the time of the next attempt.
 */
export const dispatcherSessions = pgTable(
  'dispatcher_sessions',
  {
    id: uuid().primaryKey(),
    dispatcher_id: uuid()
      .notNull()
      .references(() => dispatchers.id, { onDelete: 'cascade' }),
    user_id: uuid().references(() => users.id, { onDelete: 'set null' }),
    subject: byteText().notNull(),
    sealed_key: text().notNull(),
    expires_at: moment().notNull(),
    ended_at: moment(),
    log_out_tries: integer().notNull().default(0),
    log_out_after: moment(),
  },
  (t) => [
    uniqueIndex('dispatcher_sessions_subject').on(t.dispatcher_id, t.subject).where(isNull(t.ended_at)),
    index('dispatcher_sessions_user').on(t.user_id),
    index('dispatcher_sessions_expiry').on(t.expires_at),
    index('dispatcher_sessions_ended')
      .on(t.log_out_after)
      .where(sql`${t.ended_at} is not null or (${t.user_id} is null and ${t.subject} <> 'aggregator')`),
  ],
);
