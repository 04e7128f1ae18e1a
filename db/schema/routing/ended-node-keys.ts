import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { dispatchers } from '../sites/dispatchers.ts';

/**
 * Session keys of deactivated or deleted users. They are no longer used, and are kept until their node has logged
 * them out or they expire. A row keeps the subject and the sealed key of its row in `dispatcher_sessions`, and the
 * key stays bound to that row. `log_out_after` is the time of the next attempt.
 */
export const endedNodeKeys = pgTable(
  'ended_node_keys',
  {
    id: uuid().primaryKey(),
    dispatcher_id: uuid()
      .notNull()
      .references(() => dispatchers.id, { onDelete: 'cascade' }),
    subject: byteText().notNull(),
    sealed_key: text().notNull(),
    expires_at: moment().notNull(),
    tries: integer().notNull().default(0),
    log_out_after: moment().notNull().default(sql`now()`),
  },
  (t) => [
    index('ended_node_keys_due').on(t.log_out_after),
    index('ended_node_keys_expiry').on(t.expires_at),
    index('ended_node_keys_dispatcher').on(t.dispatcher_id),
  ],
);
