import { and, eq, gt, lte, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import { atomically, type Db, type Statement } from '../../client.ts';
import { alertMails, alerts } from '../../schema/alerts/alerts.ts';
import { eventMarks } from '../../schema/webhooks/deliveries.ts';

/** The maximum number of mails per hour. Each cause has at most one. */
export const mostMails = 20;

/** Records of a cause in a mail, the newest ones. */
const mostShown = 20;

/** The waiting records of one cause. `shown` are the newest, the newest first. */
export type Cause = {
  cause: string;
  count: number;
  first: Date;
  last: Date;
  shown: { at: Date; message: string }[];
};

export type MailState = {
  /** Causes without a mail in the last hour, the oldest first. */
  causes: Cause[];
  /** Mails of the last hour. */
  sent: number;
  failures: number;
};

const isRecent = sql`${alertMails.sent_at} > now() - interval '1 hour'`;

/** Maximum number of causes that are read at once. */
const mostCauses = 200;

export async function readMailState(db: Db): Promise<MailState> {
  const [row] = await db
    .select({
      failures: eventMarks.mail_failures,
      sent: sql<number>`(select count(distinct ${alertMails.mail_id})::int from ${alertMails} where ${isRecent})`,
      causes: sql<
        (Omit<Cause, 'first' | 'last' | 'shown'> &
          Record<'first' | 'last', string> & {
            shown: { at: string; message: string }[];
          })[]
      >`(select coalesce(json_agg(waiting order by waiting.first), '[]') from (
        select one.cause, count(*)::int as count, min(one.at) as first, max(one.at) as last,
          (select json_agg(json_build_object('at', newest.at, 'message', newest.message) order by newest.at desc) from (
            select at, message from ${alerts} other where other.cause = one.cause
            order by at desc limit ${mostShown}::int) as newest) as shown
        from ${alerts} one
        where not exists (select from ${alertMails} where ${alertMails.cause} = one.cause and ${isRecent})
        group by one.cause order by min(one.at) limit ${mostCauses}::int) as waiting)`,
    })
    .from(eventMarks);
  if (!row) throw new Error('the row of event_marks is missing');
  const causes = row.causes.map(({ first, last, shown, ...cause }) => ({
    ...cause,
    first: new Date(first),
    last: new Date(last),
    shown: shown.map(({ at, message }) => ({ at: new Date(at), message })),
  }));
  return { ...row, causes };
}

/** Notes a mail, and removes its records. Records that arrived meanwhile wait for the next one. */
export async function noteMail(db: Db, causes: readonly Cause[]): Promise<void> {
  const mail_id = newId();
  await atomically(db, (h) => [
    h
      .insert(alertMails)
      .values(causes.map(({ cause, count: records }) => ({ id: newId(), mail_id, cause, records }))),
    ...causes.map(({ cause, last }) =>
      h.delete(alerts).where(and(eq(alerts.cause, cause), lte(alerts.at, last))),
    ),
    h.update(eventMarks).set({ mail_due_at: null, mail_failures: 0, mail_error: null }),
  ]);
}

/** Notes a failed mail, and when the next attempt is made. */
export const noteMailFailure = (h: Db, error: string, delayS: number): Statement =>
  h.update(eventMarks).set({
    mail_failures: sql`${eventMarks.mail_failures} + 1`,
    mail_error: error,
    mail_due_at: sql`now() + make_interval(secs => ${delayS})`,
  });

/** Removes all waiting records, for an installation without recipients. */
export const forgetAlerts = (db: Db) => db.delete(alerts).where(gt(alerts.at, sql`'-infinity'`));

const hour = sql`interval '1 hour'`;

/** When the next mail can be sent. */
export const nextMailAt = sql`(select greatest(coalesce(${eventMarks.mail_due_at}, now()),
    (select min(coalesce((select max(${alertMails.sent_at}) + ${hour} from ${alertMails}
      where ${alertMails.cause} = waiting.cause and ${isRecent}), now()))
      from (select distinct ${alerts.cause} as cause from ${alerts}) as waiting),
    (select case when count(distinct ${alertMails.mail_id}) >= ${mostMails}::int then min(${alertMails.sent_at}) + ${hour} end
      from ${alertMails} where ${isRecent}))
  from ${eventMarks} where exists (select from ${alerts}))`;
