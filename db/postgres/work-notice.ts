import { type SQL, sql } from 'drizzle-orm';

/** The channel on which writers notify sidecars of work. Their notifications have no payload. */
export const workChannel = 'aggregator_work';

/**
 * Minimum time between two notices of a process in milliseconds. A notification takes a lock at commit that all
 * databases of the server share.
 */
const everyMs = 1_000;

let noticedAt = Number.NEGATIVE_INFINITY;

/** The notification as an expression. It is sent when its transaction commits. */
const notification: SQL = sql`pg_notify('${sql.raw(workChannel)}', '')`;

const isDue = (): boolean => performance.now() - noticedAt >= everyMs;

type Insert = { returning(fields: { notice: SQL }): unknown };

/**
 * Makes an insert of one row notify the sidecars that there is work. At most one insert per second and process does so,
 * because a notified sidecar keeps looking for work for longer than that.
 */
export const withNotice = <I extends Insert>(insert: I): I => (takeNotice() ? notifying(insert) : insert);

/** True if the next insert of one row must be `notifying`. */
export function takeNotice(): boolean {
  const isTaken = isDue();
  if (isTaken) noteNotice();
  return isTaken;
}

export const notifying = <I extends Insert>(insert: I): I => insert.returning({ notice: notification }) as I;

/** Like `withNotice`, for an insert that may have no rows, and then does not notify. */
export const withPossibleNotice = <I extends Insert>(insert: I): I => (isDue() ? notifying(insert) : insert);

/** An expression for `returning`; call `noteNotice` if the statement returns a row. */
export const possibleNotice = (): SQL => (isDue() ? notification : sql`null`);

export function noteNotice(): void {
  noticedAt = performance.now();
}

/** Called after a rollback, which also discards the notification: the next insert notifies. */
export function forgetNotice(): void {
  noticedAt = Number.NEGATIVE_INFINITY;
}
