import type { ProbeOutcome, ProbeTarget } from '../../../../db/repositories/sites/probes.ts';
import type { Timing } from '../process/timing.ts';
import type { ProbeLimits } from './node.ts';
import { createProbeSlots, failingLimitMs, longestMs } from './probe-slots.ts';

export type SchedulerParts = {
  timing: Timing;
  /** Interval between the starts of two probes of a healthy node. */
  intervalMs: () => number;
  /** Must resolve within the limit. */
  probe: (target: ProbeTarget, limits: ProbeLimits) => Promise<ProbeOutcome>;
  onOutcome: (outcome: ProbeOutcome) => void;
};

export type ProbeScheduler = {
  /**
   * Replaces the set of probed nodes. New and changed nodes are probed soon; removed ones are not probed any more.
   */
  setTargets(targets: readonly ProbeTarget[]): void;
  /** Aborts all probes; aborted probes have no outcome. */
  stop(): void;
};

/** A node with its own schedule. The next probe starts a fraction of the period after the start of the last one. */
type Entry = {
  target: ProbeTarget;
  /** The last probe failed. */
  isFailing: boolean;
  baseAt: number;
  /**
   * Fraction of the period. It is random for each probe, so that the probes of different nodes do not synchronize.
   */
  part: number;
  /** Set until the first probe starts. */
  firstAt: number | undefined;
  /** Start of the last probe with the full time limit. */
  fullAt: number;
  running: AbortController | undefined;
  /** The last failure was discarded because this process was delayed. */
  isRepeated: boolean;
};

/** Interval of the probes of a failing node, unless the regular interval is shorter. */
const failingEveryMs = 5_000;
/** Interval at which a failing node is probed with the full time limit, because it can respond slowly. */
const fullEveryMs = 30_000;
/** Gap between the first probes after a start, unless the interval requires a shorter one. */
const firstGapMs = 10;
/** A change of the interval takes effect within this time. */
const longestWaitMs = 1_000;
/** Nodes that are due within this time are started together. */
const shortestWaitMs = 10;
/** A time-out that fires this much too late indicates that this process was paused, not that the node is slow. */
const lateMs = 250;

/** Probes each node on its own schedule, with separate slots for healthy and failing nodes. */
export function createProbeScheduler(parts: SchedulerParts): ProbeScheduler {
  const { timing, intervalMs } = parts;
  const entries = new Map<string, Entry>();
  const slots = createProbeSlots(timing, () => ({ nodes: entries.size, intervalMs: intervalMs() }));
  let cancelWait = (): void => undefined;
  let isStopped = false;

  /** Starts the due probes and sleeps until the next one is due. */
  function proceed(): void {
    cancelWait();
    if (isStopped) return;
    const now = timing.now();
    const { due, nextAt } = agendaOf(entries.values(), now, intervalMs());
    for (const entry of due) if (slots.hasFreeSlot(entry.isFailing)) start(entry);
    cancelWait = timing.after(Math.max(nextAt - now, shortestWaitMs), proceed);
  }

  function start(entry: Entry): void {
    const leave = slots.enter(entry.isFailing, proceed);
    void run(parts, entry, leave).then(proceed);
  }

  return {
    setTargets: (targets) => {
      replace(entries, targets, parts);
      proceed();
    },
    stop: () => {
      isStopped = true;
      cancelWait();
      for (const { running } of entries.values()) running?.abort();
    },
  };
}

/** Returns the due nodes, longest overdue first, and the time at which the next node is due. */
function agendaOf(entries: Iterable<Entry>, now: number, intervalMs: number) {
  const due: Entry[] = [];
  let nextAt = now + longestWaitMs;
  for (const entry of entries) {
    if (entry.running) continue;
    const dueAt = dueOf(entry, intervalMs);
    if (dueAt <= now) due.push(entry);
    else nextAt = Math.min(nextAt, dueAt);
  }
  due.sort((a, b) => dueOf(a, intervalMs) - dueOf(b, intervalMs));
  return { due, nextAt };
}

/** Runs one probe. An aborted probe has no outcome. */
async function run(parts: SchedulerParts, entry: Entry, leave: () => void): Promise<void> {
  const { timing } = parts;
  const { target } = entry;
  const stop = new AbortController();
  const startedAt = timing.now();
  const limitMs = limitOf(entry, startedAt);
  if (limitMs > failingLimitMs) entry.fullAt = startedAt;
  Object.assign(entry, { running: stop, baseAt: startedAt, firstAt: undefined });
  const outcome = await parts.probe(target, { limitMs, signal: stop.signal }).catch(() => undefined);
  leave();
  if (stop.signal.aborted) return;
  entry.running = undefined;
  entry.part = partOf(entry, timing);
  const latenessMs = timing.now() - startedAt - Math.min(limitMs, target.timeout_ms);
  const isDoubtful = outcome?.last_error === 'upstream_timeout' && latenessMs > lateMs;
  entry.isRepeated = isDoubtful && !entry.isRepeated;
  if (entry.isRepeated) entry.firstAt = timing.now();
  else if (outcome) {
    entry.isFailing = outcome.status !== 'pass';
    parts.onOutcome(outcome);
  }
}

const hasFailingStatus = ({ status }: ProbeTarget): boolean => status === 'fail' || status === 'unauthorized';

function replace(entries: Map<string, Entry>, targets: readonly ProbeTarget[], parts: SchedulerParts): void {
  const targetsById = new Map(targets.map((target) => [target.id, target]));
  for (const [id, entry] of entries) {
    const target = targetsById.get(id);
    if (target?.revision === entry.target.revision) entry.target = target;
    else {
      entry.running?.abort();
      entries.delete(id);
    }
  }
  const added = targets.filter(({ id }) => !entries.has(id));
  const now = parts.timing.now();
  const gapMs = Math.min(firstGapMs, parts.intervalMs() / added.length);
  for (const [at, target] of added.entries())
    entries.set(target.id, {
      target,
      isFailing: hasFailingStatus(target),
      baseAt: now,
      // Spreads the second probes over the interval.
      part: 0.1 + 0.9 * parts.timing.random(),
      firstAt: now + at * gapMs,
      fullAt: now,
      running: undefined,
      isRepeated: false,
    });
}

function dueOf({ firstAt, baseAt, part, isFailing }: Entry, intervalMs: number): number {
  return firstAt ?? baseAt + part * (isFailing ? Math.min(intervalMs, failingEveryMs) : intervalMs);
}

/** Always less than the period, so that a node that waits for a slot is not overdue immediately. */
const partOf = ({ isFailing }: Entry, { random }: Timing): number =>
  (isFailing ? 0.8 : 0.85) + 0.15 * random();

const limitOf = ({ isFailing, fullAt }: Entry, now: number): number =>
  isFailing && now - fullAt < fullEveryMs ? failingLimitMs : longestMs;
