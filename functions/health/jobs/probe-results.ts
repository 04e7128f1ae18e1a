import type { AgedOutcome, ProbeOutcome } from '../../../db/repositories/probes.ts';
import type { Timing } from './timing.ts';

type Parts = {
  timing: Timing;
  intervalMs: () => number;
  write: (outcomes: AgedOutcome[]) => Promise<void>;
  onFailure: (error: unknown) => void;
};

export type ProbeResults = {
  add(outcome: ProbeOutcome): void;
  stop(): void;
};

type Pending = { outcome: ProbeOutcome; seenAt: number; isChanged: boolean };

/** After a statement that failed. */
const retryMs = 1_000;

/**
 * Writes a changed result at once, and the unchanged ones together once per interval. One statement runs at a time:
 * what comes meanwhile goes into the next one. Results stay until they are written, or until a later one of the same
 * node takes their place.
 */
export function createProbeResults({ timing, intervalMs, write, onFailure }: Parts): ProbeResults {
  const pending = new Map<string, Pending>();
  /** What is known to be in the database. */
  const written = new Map<string, string>();
  let writtenAllAt = timing.now();
  let retryAt = Number.NEGATIVE_INFINITY;
  let isWriting = false;
  let isStopped = false;
  let cancelWait = (): void => undefined;

  function proceed(): void {
    cancelWait();
    if (isStopped || isWriting) return;
    const now = timing.now();
    const allAt = writtenAllAt + intervalMs();
    const due = [...pending.values()].filter(({ isChanged }) => isChanged || now >= allAt);
    if (now >= retryAt && due.length > 0) return void flush(due, now);
    if (now >= allAt && due.length === 0) writtenAllAt = now;
    // Awake at least every second, since the interval may become shorter.
    const nextAt = due.length > 0 ? retryAt : Math.min(now + 1_000, writtenAllAt + intervalMs());
    cancelWait = timing.after(nextAt - now, proceed);
  }

  async function flush(due: readonly Pending[], now: number): Promise<void> {
    isWriting = true;
    const isAll = due.length === pending.size;
    try {
      await write(due.map(({ outcome, seenAt }) => ({ ...outcome, age_ms: now - seenAt })));
      for (const one of due) settle(one);
      if (isAll) writtenAllAt = now;
    } catch (error) {
      retryAt = timing.now() + retryMs;
      if (!isStopped) onFailure(error);
    }
    isWriting = false;
    proceed();
  }

  function settle(one: Pending): void {
    const { id } = one.outcome;
    written.set(id, resultOf(one.outcome));
    const current = pending.get(id);
    if (current === one) pending.delete(id);
    else if (current) current.isChanged = resultOf(current.outcome) !== written.get(id);
  }

  proceed();
  return {
    add: (outcome) => {
      const isChanged = written.get(outcome.id) !== resultOf(outcome);
      pending.set(outcome.id, { outcome, seenAt: timing.now(), isChanged });
      if (isChanged) proceed();
    },
    stop: () => {
      isStopped = true;
      cancelWait();
    },
  };
}

/** A changed address may give the same result of another node. */
const resultOf = ({ revision, status, last_error }: ProbeOutcome): string =>
  `${revision} ${status} ${last_error}`;
