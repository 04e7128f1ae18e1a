import type { Db } from '../../../../db/client.ts';
import { raisedByMust } from '../../../../db/errors.ts';
import { type Change, mostChanges, readChanges } from '../../../../db/repositories/changes/changes.ts';
import {
  appendMonitoring,
  appendMonitoringOnce,
  type MonitoringEntry,
} from '../../../../db/repositories/monitoring/records.ts';
import { mostWaiting } from '../../../../db/repositories/webhooks/deliveries.ts';
import {
  type NewAlert,
  type NewDelivery,
  type NewRecord,
  queueEvents,
  readEventMark,
  readRecords,
  readSubscriptions,
  type Subscription,
} from '../../../../db/repositories/webhooks/fan-out.ts';
import { endOf } from '../../../../shared/changes/cursor.ts';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { type ChangeEvent, eventOf, isSelected } from '../../../../shared/webhooks/event-types.ts';
import type { Task } from '../process/agenda.ts';

/** Older critical records are not mailed, for example those before mails were configured. */
const newForMs = 3_600_000;

export type FanOutParts = {
  db: Db;
  clock: Clock;
  /** Whether critical monitoring records are mailed. */
  mails: () => boolean;
};

/** Queues the events of new changes: for webhooks, and critical monitoring records for mails. */
export const eventTask = (parts: FanOutParts): Task => ({
  name: 'events',
  intervalMs: () => 200,
  dueIn: ({ events }) => events,
  round: async (signal) => {
    while (!signal.aborted && (await queuePage(parts)));
  },
});

/** @returns true if further changes can be read at once */
async function queuePage({ db, clock, mails }: FanOutParts): Promise<boolean> {
  const from = await readEventMark(db);
  const page = await readChanges(db, from);
  const subscriptions = await readSubscriptions(db);
  const records = await readRecords(db, createdRecords(page.items));
  const { deliveries, dropped } = selected(page.items, subscriptions, records);
  const hasGap = from.xid > 0n && from.xid < page.removedTo && subscriptions.length > 0;
  const losses = subscriptions.filter(({ id }) => dropped.has(id)).map((one) => lossOf(one, clock()));
  const last = page.items.at(-1);
  const isFull = page.items.length === mostChanges;
  const to = isFull && last ? { xid: last.xid, seq: last.seq } : endOf(page);
  try {
    await queueEvents(db, from, to, {
      deliveries,
      dropped,
      alerts: mails() ? alertsOf(records, clock()) : [],
      also: (h) => [
        // Once: an entry for each loss would be an event itself, which is lost as well.
        ...losses.map((entry) => appendMonitoringOnce(h, entry)),
        ...(hasGap ? [appendMonitoring(h, gapAt(clock()))] : []),
      ],
    });
  } catch (error) {
    // The next leader has already queued these events.
    if (raisedByMust(error)?.code !== 'precondition_failed') throw error;
  }
  return isFull;
}

const createdRecords = (items: readonly Change[]): string[] =>
  items.flatMap(({ kind, id, action }) =>
    kind === 'monitoring_record' && action === 'created' && id !== null ? [id] : [],
  );

type Selected = { deliveries: NewDelivery[]; dropped: Map<string, number> };

/** The deliveries of the events that the webhooks receive. Those without room are counted. */
function selected(
  items: readonly Change[],
  subscriptions: readonly Subscription[],
  records: readonly NewRecord[],
): Selected {
  const byId = new Map(records.map((record) => [record.id, record]));
  const wanted = items.flatMap((change) => {
    const record = byId.get(change.id ?? '');
    const event = eventOf(change, record?.level);
    if (!event) return [];
    const sites = event.kind === 'monitoring_record' ? (record?.sites ?? null) : change.sites;
    return subscriptions
      .filter((webhook) => change.at >= webhook.since && isSelected(webhook, event, sites))
      .map(({ id }) => deliveryOf(id, event, { ...change, sites }));
  });
  const once = [...new Map(wanted.map((delivery) => [keyOf(delivery), delivery] as const)).values()];
  return withRoom(once, new Map(subscriptions.map(({ id, waiting }) => [id, mostWaiting - waiting])));
}

function withRoom(wanted: readonly NewDelivery[], room: Map<string, number>): Selected {
  const dropped = new Map<string, number>();
  const deliveries = wanted.filter(({ webhook_id }) => {
    const left = room.get(webhook_id) ?? 0;
    if (left <= 0) dropped.set(webhook_id, (dropped.get(webhook_id) ?? 0) + 1);
    else room.set(webhook_id, left - 1);
    return left > 0;
  });
  return { deliveries, dropped };
}

const deliveryOf = (webhook_id: string, { event, kind }: ChangeEvent, change: Change): NewDelivery => ({
  id: newId(),
  webhook_id,
  event,
  kind,
  object_id: change.id ?? '',
  list: change.list ?? '',
  sites: change.sites,
  occurred_at: change.at,
});

/** Updates of one object on a page are one delivery. */
function keyOf({ id, webhook_id, event, object_id, sites }: NewDelivery): string {
  const isRepeatable = /\.(?:updated|synchronized)$/.test(event);
  return isRepeatable ? [webhook_id, event, object_id, ...(sites ?? ['*'])].join(' ') : id;
}

/** Records about one object with one code have the same cause. */
const alertsOf = (records: readonly NewRecord[], now: Date): NewAlert[] =>
  records
    .filter(({ level, at }) => level === 'critical' && now.getTime() - at.getTime() < newForMs)
    .map(({ id, at, source, code, object_type, object_id, message }) => ({
      record_id: id,
      cause: [source, code, object_type ?? '', object_id ?? '', code === '' ? message : '']
        .join('|')
        .slice(0, 500),
      at,
      message,
    }));

const lossOf = ({ id, name }: Subscription, at: Date) =>
  ({
    at,
    level: 'error',
    source: 'portal',
    object_type: 'webhook',
    object_id: id,
    object_name: name,
    code: 'webhook_events_lost',
    message: `Events for the webhook ${name} are lost, because ${mostWaiting} events are waiting`,
  }) as const;

const gapAt = (at: Date): MonitoringEntry => ({
  at,
  level: 'error',
  source: 'jobs',
  code: 'webhook_events_lost',
  message: 'Events for webhooks are lost, because no sidecar was running for a day',
});
