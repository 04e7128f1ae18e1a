import type { Db } from '../../../../db/client.ts';
import {
  type ForwardState,
  forwardStates,
  moveForward,
  noteForwarding,
  sealedAfter,
  type Target,
} from '../../../../db/repositories/audit/forwards.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import { escapeControls, startOf } from '../../../../shared/kernel/text.ts';
import {
  createFluentdForwarder,
  createSyslogForwarder,
} from '../../../../shared/remotes/log-forwarder/node.ts';
import type { LogForwarder } from '../../../../shared/remotes/log-forwarder/port.ts';
import type { Config } from '../../../../shared/runtime/config/config.ts';
import type { Task } from '../process/agenda.ts';

/** Limits of one delivery. */
const atOnce = { limit: 1_000, bytes: 4_194_304 };
/** Seconds without an event after which an empty delivery checks the connection to the collector. */
const quietS = 15;
/** Maximum duration of a round, in milliseconds. The next round reads the stored cursor again. */
const longestMs = 20_000;

type Collectors = Pick<Config, 'fluentdUrl' | 'syslogUrl'> & Partial<Pick<Config, 'fluentdSharedKey'>>;

/** Returns the names of the configured collectors. */
export const targetsOf = ({ fluentdUrl, syslogUrl }: Collectors): Target[] => [
  ...(fluentdUrl ? (['fluentd'] as const) : []),
  ...(syslogUrl ? (['syslog'] as const) : []),
];

/** Returns one job per configured collector. Only the leader runs them. */
export function forwardJobs(
  db: Db,
  { fluentdUrl, fluentdSharedKey: sharedKey, syslogUrl }: Collectors,
  host: string,
  log: Log,
): Task[] {
  const credentials = sharedKey === undefined ? undefined : { hostname: host, sharedKey };
  const forwarders = [
    ...(fluentdUrl ? [createFluentdForwarder(fluentdUrl, credentials)] : []),
    ...(syslogUrl ? [createSyslogForwarder(syslogUrl, host)] : []),
  ];
  return forwarders.map((forwarder) => forwardJob(db, forwarder, log));
}

/**
 * Forwards sealed events to a collector in order, with at-least-once delivery: the cursor moves after the collector has
 * confirmed the events. If two sidecars run this job at once, events are sent twice, but no event is lost.
 */
export const forwardJob = (db: Db, forwarder: LogForwarder, log: Log): Task => ({
  name: `audit to ${forwarder.name}`,
  intervalMs: () => 1_000,
  dueIn: ({ sealed_to, forwards }) => {
    const state = forwards.find(({ target }) => target === forwarder.name);
    if (!isFresh(state) || (state?.seq ?? 0) < sealed_to) return 0;
    return (quietS - (state?.checkedAgeS ?? quietS)) * 1000;
  },
  round: async (signal) => {
    const state = (await forwardStates(db)).find(({ target }) => target === forwarder.name);
    try {
      await forwardAll(db, forwarder, state, signal);
    } catch (error) {
      if (signal.aborted) return;
      const reason = startOf(escapeControls(error instanceof Error ? error.message : String(error)), 1_000);
      // The job runs every second, so a repeated error is logged only once.
      if (state?.error !== reason)
        log.warn('audit events are not forwarded', { target: forwarder.name, error: reason });
      await noteForwarding(db, forwarder.name, reason);
    }
  },
});

async function forwardAll(
  db: Db,
  forwarder: LogForwarder,
  state: ForwardState | undefined,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + longestMs;
  let events = await sealedAfter(db, state?.seq ?? 0, atOnce);
  if (events.length === 0 && isFresh(state)) return;
  for (let from = state?.seq ?? 0; ; events = await sealedAfter(db, from, atOnce)) {
    await forwarder.deliver(events, signal);
    const to = events.at(-1)?.seq ?? from;
    const isOurs = await moveForward(db, forwarder.name, from, to);
    if (!isOurs || to === from || signal.aborted || performance.now() > until) return;
    from = to;
  }
}

const isFresh = (state: ForwardState | undefined): boolean =>
  state !== undefined && state.error === null && state.checkedAgeS !== null && state.checkedAgeS < quietS;
