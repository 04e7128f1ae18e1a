import type { AgedOutcome, ProbeOutcome } from '../../../../db/repositories/sites/probes.ts';
import type { Timing } from '../process/timing.ts';

type Parts = {
  timing: Timing;
  intervalMs: () => number;
  /** False while the sidecar rests: results stay in memory. */
  mayWrite: () => boolean;
  write: (outcomes: AgedOutcome[]) => Promise<void>;
  onFailure: (error: unknown) => void;
};

type Pending = { outcome: ProbeOutcome; seenAt: number; isChanged: boolean };

/** Delay after a failed statement. */
const retryMs = 1_000;
/** Maximum sleep, because the interval can become shorter in the meantime. */
const longestWaitMs = 1_000;

/**
 * Writes changed results immediately, and unchanged ones together once per interval. One statement runs at a time;
 * results that arrive meanwhile go into the next one. A result stays pending until it is written or a later one of
 * the same node replaces it.
 */
export class ProbeResults {
  readonly #parts: Parts;
  readonly #pending = createPending();
  #writtenAllAt: number;
  #retryAt = Number.NEGATIVE_INFINITY;
  #state: 'waiting' | 'writing' | 'stopped' = 'waiting';
  #cancelWait = (): void => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#writtenAllAt = parts.timing.now();
    this.#proceed();
  }

  add(outcome: ProbeOutcome): void {
    if (this.#pending.add(outcome, this.#parts.timing.now())) this.#proceed();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#cancelWait();
  }

  /** Writes the due results, or sleeps until results are due. */
  #proceed(): void {
    this.#cancelWait();
    if (this.#state !== 'waiting') return;
    const { timing, intervalMs } = this.#parts;
    const now = timing.now();
    const isAllDue = now >= this.#writtenAllAt + intervalMs();
    const mayWrite = this.#parts.mayWrite();
    const due = mayWrite ? this.#pending.due(isAllDue) : [];
    if (mayWrite && isAllDue && due.length === 0) this.#writtenAllAt = now;
    if (now >= this.#retryAt && due.length > 0) return void this.#flush(due, now);
    const allAt = mayWrite
      ? Math.min(now + longestWaitMs, this.#writtenAllAt + intervalMs())
      : now + longestWaitMs;
    const nextAt = due.length > 0 ? this.#retryAt : allAt;
    this.#cancelWait = timing.after(nextAt - now, () => this.#proceed());
  }

  async #flush(due: readonly Pending[], now: number): Promise<void> {
    this.#state = 'writing';
    const isAll = due.length === this.#pending.size();
    const error = await this.#write(due, now);
    if (this.#isStopped()) return;
    this.#state = 'waiting';
    if (error === undefined) {
      this.#pending.settle(due);
      if (isAll) this.#writtenAllAt = now;
    } else {
      this.#retryAt = this.#parts.timing.now() + retryMs;
      this.#parts.onFailure(error);
    }
    this.#proceed();
  }

  /** @returns the error of the statement, if it failed */
  async #write(due: readonly Pending[], now: number): Promise<unknown> {
    try {
      await this.#parts.write(due.map(({ outcome, seenAt }) => ({ ...outcome, age_ms: now - seenAt })));
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }
}

/** The latest unwritten result of each node. */
function createPending() {
  const pending = new Map<string, Pending>();
  /** The last written result of each node. */
  const written = new Map<string, string>();
  const isChangedOutcome = (outcome: ProbeOutcome) => written.get(outcome.id) !== resultOf(outcome);
  return {
    size: () => pending.size,
    /** @returns whether the result has changed */
    add: (outcome: ProbeOutcome, seenAt: number): boolean => {
      const isChanged = isChangedOutcome(outcome);
      pending.set(outcome.id, { outcome, seenAt, isChanged });
      return isChanged;
    },
    due: (isAllDue: boolean) => [...pending.values()].filter(({ isChanged }) => isChanged || isAllDue),
    settle: (done: readonly Pending[]): void => {
      for (const one of done) {
        const { id } = one.outcome;
        written.set(id, resultOf(one.outcome));
        const current = pending.get(id);
        if (current === one) pending.delete(id);
        else if (current) current.isChanged = isChangedOutcome(current.outcome);
      }
    },
  };
}

/** Includes the revision: after a change of the address, an equal result comes from another node. */
const resultOf = ({ revision, status, last_error }: ProbeOutcome): string =>
  `${revision} ${status} ${last_error}`;
