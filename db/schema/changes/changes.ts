import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** A full transaction id, in decimal. */
export const transactionId = customType<{ data: string; driverData: string }>({ dataType: () => 'xid8' });

/**
 * Changes of objects, written by triggers in the transaction of the change (`db/sql/changes.sql`), once per object and
 * transaction. `action` is that of the transaction: `created` also if the object was then updated.
 * `object_id` is empty for a transaction that changed too many objects to name them. `list` is empty except
 * for the kind `snapshot`, where the object is a farm. `sites` are those of the object before and after the change; null
 * if the object is visible in any scope.
 */
export const changes = pgTable(
  'changes',
  {
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    xid: transactionId().notNull().default(sql`pg_current_xact_id()`),
    at: moment().notNull().default(sql`now()`),
    kind: text().notNull(),
    object_id: text().notNull(),
    list: text().notNull().default(''),
    action: text().$type<'created' | 'updated' | 'deleted'>().notNull().default('updated'),
    sites: uuid().array(),
  },
  (t) => [
    primaryKey({ columns: [t.xid, t.seq] }),
    uniqueIndex('changes_object').on(t.xid, t.kind, t.object_id, t.list),
  ],
);

/**
 * One row. `epoch` identifies the database in cursors. Changes of transactions up to `removed_to` were removed by the
 * retention.
 */
export const changeMarks = pgTable('change_marks', {
  only: boolean().primaryKey().default(true),
  epoch: uuid().notNull().default(sql`gen_random_uuid()`),
  removed_to: transactionId().notNull().default(sql`'0'::xid8`),
});
