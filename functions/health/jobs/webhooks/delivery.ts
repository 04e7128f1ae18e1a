import { setTimeout as delay } from 'node:timers/promises';
import { atomically, type Db, type Statement } from '../../../../db/client.ts';
import { raisedByMust } from '../../../../db/errors.ts';
import { appendAudit } from '../../../../db/repositories/audit/events.ts';
import { appendMonitoring, type MonitoringEntry } from '../../../../db/repositories/monitoring/records.ts';
import {
  type Claimed,
  claimDue,
  disableWebhook,
  handBack,
  notePause,
  pauseChanges,
  recordOutcome,
} from '../../../../db/repositories/webhooks/attempts.ts';
import { eventBy } from '../../../../shared/context/audit-entry.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Telemetry } from '../../../../shared/kernel/observability/telemetry.ts';
import { failingForMs } from '../../../../shared/webhooks/delays.ts';
import type { Task } from '../process/agenda.ts';
import { type AttemptParts, type AttemptResult, attempt } from './attempt.ts';

export type DeliveryParts = AttemptParts & {
  db: Db;
  log: Pick<Log, 'error'>;
  telemetry: Pick<Telemetry, 'count'>;
};

/** Running attempts of one webhook. A slow receiver occupies only its own. */
const perWebhook = 4;
/** Interval in milliseconds at which due deliveries are looked for while attempts are running. */
const everyMs = 500;

/** Delivers due events. A round lasts while attempts are running, and begins further ones meanwhile. */
export const webhookTask = (parts: DeliveryParts): Task => ({
  name: 'webhooks',
  intervalMs: () => 100,
  dueIn: ({ webhooks }) => webhooks,
  round: async (signal) => {
    await notePauses(parts);
    const running = new Map<Promise<void>, string>();
    while (!signal.aborted) {
      const claimed = await claimDue(parts.db, busyOf(running), perWebhook);
      for (const one of claimed) {
        const work = deliver(parts, one, signal).finally(() => running.delete(work));
        running.set(work, one.webhook.id);
      }
      if (running.size === 0) break;
      await Promise.race([...running.keys(), pause(everyMs, signal)]);
    }
    await Promise.all(running.keys());
  },
});

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

function busyOf(running: ReadonlyMap<unknown, string>): Record<string, number> {
  const busy: Record<string, number> = {};
  for (const id of running.values()) busy[id] = (busy[id] ?? 0) + 1;
  return busy;
}

/** Never rejects: the attempt is repeated after its claim has expired. */
async function deliver(parts: DeliveryParts, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const { db, log, telemetry } = parts;
  try {
    const result = await attempt(parts, claimed, signal);
    await record(parts, claimed, result);
    telemetry.count('webhook_attempts', [result.state === 'waiting' ? 'failed' : result.state]);
  } catch (error) {
    if (!signal.aborted) log.error('an event could not be delivered', { webhook: claimed.webhook.id, error });
    else await handBack(db, claimed).catch(() => undefined);
  }
}

async function record(
  { db, clock }: DeliveryParts,
  claimed: Claimed,
  { isGone, ...outcome }: AttemptResult,
): Promise<void> {
  const at = clock();
  const reason = isGone ? 'gone' : isFailing(claimed, outcome.state, at) ? 'failing' : undefined;
  if (!reason) return recordOutcome(db, claimed, outcome, at);
  try {
    await recordOutcome(db, claimed, outcome, at, (h) => disabling(h, claimed, reason, at));
  } catch (error) {
    // An administrator has changed the webhook, perhaps its address: the next attempt decides.
    if (raisedByMust(error)?.code !== 'precondition_failed') throw error;
    await recordOutcome(db, claimed, outcome, at);
  }
}

const isFailing = ({ failing_since }: Claimed, state: AttemptResult['state'], now: Date): boolean =>
  (state === 'waiting' || state === 'dead') &&
  failing_since !== null &&
  now.getTime() - new Date(failing_since).getTime() > failingForMs;

const because = {
  gone: 'the receiver returned the status 410',
  failing: 'no delivery has succeeded for five days',
} as const;

function disabling(h: Db, { webhook }: Claimed, reason: keyof typeof because, at: Date): Statement[] {
  const { id, name, revision } = webhook;
  const entry = eventBy({ kind: 'job', name: 'webhooks' }, at, {
    event: 'portal.EntityAction',
    category: 'config',
    action: 'update',
    object_type: 'webhook',
    object_id: id,
    object_name: name,
    changes: [{ field: 'enabled', before: true, after: false }],
    details: { revision: revision + 1, reason },
  });
  const message = `The webhook ${name} is disabled, because ${because[reason]}`;
  return [
    ...disableWebhook(h, webhook, reason),
    appendAudit(h, entry),
    appendMonitoring(h, journalEntry(webhook, 'webhook_disabled', message, at)),
  ];
}

/** Writes pauses, and their ends, to the monitoring journal. */
async function notePauses({ db, clock }: DeliveryParts): Promise<void> {
  for (const { id, name, is_paused } of await pauseChanges(db)) {
    const text = is_paused
      ? `The webhook ${name} is paused, because its owner is disabled or deleted`
      : `The webhook ${name} is active again`;
    const entry = journalEntry({ id, name }, is_paused ? 'webhook_paused' : 'webhook_active', text, clock());
    const level = is_paused ? 'warning' : 'info';
    try {
      await atomically(db, (h) => [...notePause(h, id, is_paused), appendMonitoring(h, { ...entry, level })]);
    } catch (error) {
      if (raisedByMust(error)?.code !== 'precondition_failed') throw error;
    }
  }
}

const journalEntry = (
  { id, name }: { id: string; name: string },
  code: string,
  message: string,
  at: Date,
): MonitoringEntry => ({
  at,
  level: 'error',
  source: 'portal',
  object_type: 'webhook',
  object_id: id,
  object_name: name,
  code,
  message,
});
