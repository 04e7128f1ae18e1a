import { eq, inArray, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { alerts } from '../../schema/alerts/alerts.ts';
import { changes } from '../../schema/changes/changes.ts';
import { gatewaySites } from '../../schema/gateways/gateways.ts';
import { monitoringRecords } from '../../schema/monitoring/records.ts';
import { rules } from '../../schema/routing/rules.ts';
import { systemParameters } from '../../schema/settings/system-parameters.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { eventMarks, webhookDeliveries } from '../../schema/webhooks/deliveries.ts';
import { webhookSites, webhooks } from '../../schema/webhooks/webhooks.ts';
import type { ChangePosition } from '../changes/changes.ts';
import { derived, memberIds, must } from '../records/statements.ts';

/** The place in the order of changes up to which events were queued. */
export async function readEventMark(db: Db): Promise<ChangePosition> {
  const [mark] = await db
    .select({ xid: sql<string>`${eventMarks.xid}::text`, seq: eventMarks.seq })
    .from(eventMarks);
  if (!mark) throw new Error('the row of event_marks is missing');
  return { xid: BigInt(mark.xid), seq: mark.seq };
}

/** An enabled webhook, with the number of its waiting deliveries. */
export type Subscription = {
  id: string;
  name: string;
  events: string[];
  sites: string[];
  since: Date;
  waiting: number;
};

export const readSubscriptions = (db: Db): Promise<Subscription[]> =>
  db
    .select({
      id: webhooks.id,
      name: webhooks.name,
      events: webhooks.events,
      sites: memberIds(
        { table: webhookSites, owner: webhookSites.webhook_id, member: webhookSites.site_id },
        webhooks.id,
      ),
      since: webhooks.active_since,
      waiting: derived<number>(
        sql`select count(*)::int from ${webhookDeliveries}
          where ${webhookDeliveries.webhook_id} = ${webhooks.id} and ${webhookDeliveries.state} = 'waiting'`,
      ),
    })
    .from(webhooks)
    .where(eq(webhooks.enabled, true));

const recordId = monitoringRecords.object_id;
const siteOfFarm = (id: typeof recordId | ReturnType<typeof sql>) =>
  sql`(select array[${farms.site_id}] from ${farms} where ${farms.id}::text = ${id})`;

/** The sites of the object of a monitoring record; null if it has none, or is not found. */
const placeOfRecord = sql<string[] | null>`(case ${monitoringRecords.object_type}
  when 'site' then (select array[${sites.id}] from ${sites} where ${sites.id}::text = ${recordId})
  when 'farm' then ${siteOfFarm(recordId)}
  when 'dispatcher' then (select array[${farms.site_id}] from ${dispatchers}
    join ${farms} on ${farms.id} = ${dispatchers.farm_id} where ${dispatchers.id}::text = ${recordId})
  when 'gateway' then (select array_agg(${gatewaySites.site_id}) from ${gatewaySites}
    where ${gatewaySites.gateway_id}::text = ${recordId})
  when 'rule' then (select array[${rules.site_id}] from ${rules} where ${rules.id}::text = ${recordId})
  else ${siteOfFarm(sql`${monitoringRecords.details} ->> 'farm_id'`)} end)::text[]`;

export type NewRecord = Awaited<ReturnType<typeof readRecords>>[number];

/** Monitoring records with what decides who receives their events. */
export const readRecords = (db: Db, ids: readonly string[]) =>
  db
    .select({
      id: monitoringRecords.id,
      at: monitoringRecords.at,
      level: monitoringRecords.level,
      source: monitoringRecords.source,
      code: monitoringRecords.code,
      object_type: monitoringRecords.object_type,
      object_id: monitoringRecords.object_id,
      message: monitoringRecords.message,
      sites: derived<string[] | null>(sql`select ${placeOfRecord}`),
    })
    .from(monitoringRecords)
    .where(inArray(monitoringRecords.id, [...ids]));

export type NewDelivery = Required<
  Pick<
    typeof webhookDeliveries.$inferInsert,
    'id' | 'webhook_id' | 'event' | 'kind' | 'object_id' | 'list' | 'sites' | 'occurred_at'
  >
>;
export type NewAlert = typeof alerts.$inferInsert;

/** What a page of changes results in. */
export type FannedOut = {
  deliveries: readonly NewDelivery[];
  /** Events that are not queued, by webhook. */
  dropped: ReadonlyMap<string, number>;
  alerts: readonly NewAlert[];
  /** Further statements, such as entries of the monitoring journal. */
  also: (h: Db) => Statement[];
};

/**
 * Queues events and moves the mark in one batch. Fails with `precondition_failed` if another sidecar has moved it.
 * An update of an object is not queued while the same event waits for its first attempt, because the receiver then
 * reads the present state.
 */
export async function queueEvents(
  db: Db,
  from: ChangePosition,
  to: ChangePosition,
  { deliveries, dropped, alerts: newAlerts, also }: FannedOut,
): Promise<void> {
  await atomically(db, (h) => [
    must(
      h,
      sql`(select (${eventMarks.xid}, ${eventMarks.seq}) = (${String(from.xid)}::xid8, ${from.seq}::bigint)
        from ${eventMarks} for update)`,
      'precondition_failed',
    ),
    ...(deliveries.length > 0 ? [insertDeliveries(h, deliveries)] : []),
    ...(newAlerts.length > 0
      ? [
          h
            .insert(alerts)
            .values([...newAlerts])
            .onConflictDoNothing(),
        ]
      : []),
    ...[...dropped].map(([id, count]) =>
      h
        .update(webhooks)
        .set({ dropped: sql`${webhooks.dropped} + ${count}::int` })
        .where(eq(webhooks.id, id)),
    ),
    ...also(h),
    h.update(eventMarks).set({ xid: sql`${String(to.xid)}::xid8`, seq: to.seq }),
  ]);
}

const insertDeliveries = (h: Db, rows: readonly NewDelivery[]): Statement =>
  h.execute(sql`
    insert into ${webhookDeliveries} (id, webhook_id, event, kind, object_id, list, sites, occurred_at)
    select given.id, given.webhook_id, given.event, given.kind, given.object_id, given.list, given.sites, given.occurred_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, webhook_id uuid, event text, kind text,
      object_id text, list text, sites uuid[], occurred_at timestamptz)
    join ${webhooks} on ${webhooks.id} = given.webhook_id
    where not (given.event ~ '\\.(updated|synchronized)$' and exists (
      select from ${webhookDeliveries} waiting where waiting.webhook_id = given.webhook_id and waiting.state = 'waiting'
        and waiting.object_id = given.object_id and waiting.event = given.event and waiting.list = given.list
        and waiting.attempts = 0 and waiting.sites is not distinct from given.sites))`);

/**
 * Whether there are changes after the mark, and a webhook or a recipient of mails to inform. A mark that is ahead of the
 * database, which was then restored from a backup, has to be moved back.
 */
export const hasChangesForEvents = sql<boolean>`(
  (exists (select from ${webhooks} where ${webhooks.enabled})
    or exists (select from ${systemParameters} where ${systemParameters.name} = 'alerts.email_to'))
  and exists (select from ${eventMarks} where ${eventMarks.xid} > pg_snapshot_xmax(pg_current_snapshot())
    or exists (select from ${changes} where (${changes.xid}, ${changes.seq}) > (${eventMarks.xid}, ${eventMarks.seq})
      and ${changes.xid} < pg_snapshot_xmin(pg_current_snapshot()))))`;
