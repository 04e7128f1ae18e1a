import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';

/** Critical monitoring records that wait for their mail. Records with the same `cause` share a mail. */
export const alerts = pgTable(
  'alerts',
  {
    record_id: uuid().primaryKey(),
    cause: byteText().notNull(),
    at: moment().notNull(),
    message: text().notNull(),
  },
  (t) => [index('alerts_cause').on(t.cause, t.at)],
);

/** Mails that were sent, for the limits per hour. A summary of several causes has a row for each, with the same `mail_id`. */
export const alertMails = pgTable(
  'alert_mails',
  {
    id: uuid().primaryKey(),
    mail_id: uuid().notNull(),
    cause: byteText().notNull(),
    records: integer().notNull(),
    sent_at: moment().notNull().default(sql`now()`),
  },
  (t) => [index('alert_mails_sent').on(t.sent_at)],
);
