import { and, eq, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { users } from '../../schema/identity/users.ts';
import { webhookDeliveries as table } from '../../schema/webhooks/deliveries.ts';
import { webhooks } from '../../schema/webhooks/webhooks.ts';
import { type Role, rolesOf } from '../identity/login/sessions.ts';
import { must } from '../records/statements.ts';
import { noteHealth, type Outcome } from './health.ts';
import { isPaused, livingOwner } from './webhooks.ts';

/** Seconds after which an attempt without a result is repeated; longer than the time limit of an attempt. */
const claimS = 30;

/** A delivery of which an attempt begins, with its webhook and the roles of the owner. */
export type Claimed = {
  id: string;
  webhook: { id: string; name: string; revision: number; url: string; ca: string | null };
  /** The sealed query of the address. */
  query: string | null;
  /** Sealed; null if it is lost. */
  secret: string | null;
  former_secret: string | null;
  failing_since: string | null;
  event: string;
  kind: string;
  list: string;
  object_id: string;
  sites: string[] | null;
  occurred_at: string;
  attempts: number;
  roles: Role[];
};

/**
 * Claims due deliveries of active webhooks, of each at most `perWebhook` minus those that are being sent; one statement.
 * @param busy number of running attempts by webhook
 */
export async function claimDue(
  db: Db,
  busy: Readonly<Record<string, number>>,
  perWebhook: number,
): Promise<Claimed[]> {
  const result = await db.execute(sql`
    with due as (
      select next.id from ${webhooks} cross join lateral (
        select waiting.id from ${table} waiting
        where waiting.webhook_id = ${webhooks.id} and waiting.state = 'waiting' and waiting.due_at <= now()
        order by waiting.due_at
        limit greatest(0, ${perWebhook}::int - coalesce((${JSON.stringify(busy)}::jsonb ->> ${webhooks.id}::text)::int, 0))
        for update skip locked) as next
      where ${webhooks.enabled} and exists (select from ${livingOwner})),
    claimed as (
      update ${table} d set attempts = d.attempts + 1, last_attempt_at = now(),
        due_at = now() + make_interval(secs => ${claimS}), claimed_until = now() + make_interval(secs => ${claimS})
      from due where d.id = due.id returning d.*)
    select coalesce(json_agg(json_build_object('id', claimed.id, 'event', claimed.event, 'kind', claimed.kind,
        'list', claimed.list, 'object_id', claimed.object_id, 'sites', claimed.sites, 'occurred_at', claimed.occurred_at,
        'attempts', claimed.attempts, 'query', ${webhooks.sealed_query},
        'secret', ${webhooks.sealed_secret}, 'failing_since', ${webhooks.failing_since},
        'former_secret', case when ${webhooks.former_until} > now() then ${webhooks.sealed_former_secret} end,
        'roles', ${rolesOf(users.id)}, 'webhook', json_build_object('id', ${webhooks.id}, 'name', ${webhooks.name},
          'revision', ${webhooks.revision}, 'url', ${webhooks.url}, 'ca', ${webhooks.ca_certificate}))), '[]') as claimed
    from claimed join ${webhooks} on ${webhooks.id} = claimed.webhook_id
    join ${users} on ${users.id} = ${webhooks.owner_id}`);
  return (result as unknown as { rows: { claimed: Claimed[] }[] }).rows[0]?.claimed ?? [];
}

/** Fenced: an attempt whose claim has expired, and that another attempt follows, changes nothing. */
const isCurrent = ({ id, attempts }: Pick<Claimed, 'id' | 'attempts'>) =>
  and(eq(table.id, id), eq(table.state, 'waiting'), eq(table.attempts, attempts));

const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1_000}::float8)`;

/** Records the result of an attempt that ended at `at`. `also` are further statements of the batch. */
export async function recordOutcome(
  db: Db,
  claimed: Claimed,
  { delay_ms, pause_ms, ...outcome }: Outcome,
  at: Date,
  also: (h: Db) => Statement[] = () => [],
): Promise<void> {
  const due = delay_ms === undefined ? {} : { due_at: inMs(delay_ms) };
  const { id } = claimed.webhook;
  const waiting = and(eq(table.webhook_id, id), eq(table.state, 'waiting'));
  await atomically(db, (h) => [
    // Attempts of one webhook end at the same time. Each locks all of its deliveries in one order before it changes its own.
    ...(pause_ms === undefined
      ? []
      : [h.select({ id: table.id }).from(table).where(waiting).orderBy(table.id).for('update')]),
    h
      .update(table)
      .set({ ...outcome, ...due, claimed_until: null })
      .where(isCurrent(claimed)),
    ...noteHealth(h, claimed.webhook, outcome, at),
    ...(pause_ms === undefined
      ? []
      : [
          h
            .update(table)
            .set({ due_at: sql`greatest(${table.due_at}, ${inMs(pause_ms)})` })
            .where(waiting),
        ]),
    ...also(h),
  ]);
}

/** Hands a delivery back whose attempt was interrupted by the stop of the sidecar; the attempt does not count. */
export async function handBack(db: Db, claimed: Claimed): Promise<void> {
  await db
    .update(table)
    .set({ attempts: sql`${table.attempts} - 1`, due_at: sql`now()`, claimed_until: null })
    .where(isCurrent(claimed));
}

/** Disables a webhook. Fails the batch with `precondition_failed` if it was changed meanwhile. */
export const disableWebhook = (
  h: Db,
  { id, revision }: Claimed['webhook'],
  reason: 'gone' | 'failing',
): Statement[] => [
  must(
    h,
    sql`(select ${webhooks.revision} from ${webhooks} where ${webhooks.id} = ${id} for update) = ${revision}`,
    'precondition_failed',
  ),
  h
    .update(webhooks)
    .set({ enabled: false, disabled_reason: reason, revision: revision + 1, updated_at: sql`now()` })
    .where(eq(webhooks.id, id)),
];

const hasOtherPause = sql`${webhooks.enabled} and ${webhooks.is_pause_noted} is distinct from ${isPaused}`;

/** Webhooks that were paused, or are active again, since the last entry in the monitoring journal. */
export const pauseChanges = (db: Db) =>
  db
    .select({ id: webhooks.id, name: webhooks.name, is_paused: isPaused })
    .from(webhooks)
    .where(hasOtherPause);

/** Notes a pause or its end; fails the batch with `precondition_failed` if that was noted meanwhile. */
export const notePause = (h: Db, id: string, is_paused: boolean): Statement[] => [
  must(
    h,
    sql`(select ${webhooks.is_pause_noted} from ${webhooks} where ${webhooks.id} = ${id} for update) <> ${is_paused}`,
    'precondition_failed',
  ),
  h.update(webhooks).set({ is_pause_noted: is_paused }).where(eq(webhooks.id, id)),
];

/** Time of the next attempt of any active webhook, or now if a pause has to be noted. */
export const nextAttemptAt = sql`(select least(
  (select min(next.due_at) from ${webhooks} cross join lateral (
      select waiting.due_at from ${table} waiting where waiting.webhook_id = ${webhooks.id} and waiting.state = 'waiting'
      order by waiting.due_at limit 1) as next
    where ${webhooks.enabled} and exists (select from ${livingOwner})),
  (select now() from ${webhooks} where ${hasOtherPause} limit 1)))`;
