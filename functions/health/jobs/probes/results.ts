import type { AgedOutcome, ProbeOutcome } from '../../../../db/repositories/sites/probes.ts';
import type { Timing } from '../process/timing.ts';

type Parts = {
  timing: Timing;
  intervalMs: () => number;
  write: (outcomes: AgedOutcome[]) => Promise<void>;
  onFailure: (error: unknown) => void;
};

type Pending = { outcome: ProbeOutcome; seenAt: number; isChanged: boolean };

/** After a statement that failed. */
const retryMs = 1_000;
/** The interval may become shorter meanwhile. */
const longestWaitMs = 1_000;

/**
 * Writes a changed result at once, and the unchanged ones together once per interval. One statement runs at a time:
 * what comes meanwhile goes into the next one. Results stay until they are written, or until a later one of the same
 * node takes their place.
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

  /** Writes what is due, or sleeps until something is. */
  #proceed(): void {
    this.#cancelWait();
    if (this.#state !== 'waiting') return;
    const { timing, intervalMs } = this.#parts;
    const now = timing.now();
    const isAllDue = now >= this.#writtenAllAt + intervalMs();
    const due = this.#pending.due(isAllDue);
    if (isAllDue && due.length === 0) this.#writtenAllAt = now;
    if (now >= this.#retryAt && due.length > 0) return void this.#flush(due, now);
    const allAt = Math.min(now + longestWaitMs, this.#writtenAllAt + intervalMs());
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

  /** @returns the error of the statement */
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

/** The latest result of each node that is not written yet. */
function createPending() {
  const pending = new Map<string, Pending>();
  /** What is known to be in the database. */
  const written = new Map<string, string>();
  const isNews = (outcome: ProbeOutcome) => written.get(outcome.id) !== resultOf(outcome);
  return {
    size: () => pending.size,
    /** @returns whether the result has changed */
    add: (outcome: ProbeOutcome, seenAt: number): boolean => {
      const isChanged = isNews(outcome);
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
        else if (current) current.isChanged = isNews(current.outcome);
      }
    },
  };
}

/** A changed address may give the same result of another node. */
const resultOf = ({ revision, status, last_error }: ProbeOutcome): string =>
  `${revision} ${status} ${last_error}`;
