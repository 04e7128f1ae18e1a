import type { Db } from '../../../../db/client.ts';
import { releaseLease, takeLease } from '../../../../db/repositories/jobs/leases.ts';
import type { Worker } from '../../../../db/repositories/jobs/workers.ts';
import { createNotifier } from '../../../../shared/kernel/concurrency/notifier.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Job } from './loop.ts';

/** A period in which this sidecar is the leader. */
export type Term = {
  /** Fencing token: greater than that of every previous holder. */
  fence: number;
  /** Aborts when the lease is lost, and when the sidecar stops. */
  signal: AbortSignal;
};

/** The leader lease. One sidecar at a time holds it and runs the jobs that must run only once. */
export type Lease = {
  /** The current term; undefined on a standby and while the sidecar stops. */
  term(): Term | undefined;
  /** True until the lease expires by the clock of this process, also while the sidecar stops. */
  isHeld(): boolean;
  /** Acquires and renews the lease, and records the heartbeat of this sidecar in the same statement. */
  job: Job;
  /** Makes a standby try to acquire the lease at once, because it was released. */
  tryNow(): void;
  /** Releases the lease, so that another sidecar can acquire it immediately. */
  release(): Promise<void>;
};

type Parts = {
  /** A connection without long-running queries, which would delay the lease. */
  db: Db;
  /** Unique name of this process. */
  holder: string;
  log: Pick<Log, 'info' | 'warn'>;
  stopping: AbortSignal;
  /** The heartbeat; without it, none is recorded. */
  worker?: Worker;
  /** Runs the statement and observes its result. */
  observe?: <T>(write: () => Promise<T>) => Promise<T>;
  /** The lease of a leader that rests does not expire by its clock. It is renewed, or lost, before anything else. */
  isResting?: () => boolean;
  /** In seconds; injected so that tests need not wait. */
  times?: typeof ordinaryTimes;
  /** A monotonic clock in milliseconds; injected so that tests can advance it. */
  now?: () => number;
};

const leaseName = 'sidecar';
/** Between the time that a wait measures and the start of the round. */
const marginMs = 5;
const ordinaryTimes = {
  lastsS: 20,
  renewedEveryS: 10,
  /** Pause after a failure, and minimum pause of a standby. It tries when the lease expires, or at the time of renewal. */
  triedEveryS: 2,
  /** After this time without a renewal, the lease counts as free, regardless of the clock of the database. */
  staleS: 25,
};

type HeldTerm = Term & { ending: AbortController; endsAt: number; renewAt: number };

/**
 * Competes for the lease. The holder measures its term by its own clock, from before the request that acquired it, so
 * that a process that was paused detects the end of its term before it does anything else.
 */
export const createLease = (parts: Parts): Lease => new CompetedLease(parts);

class CompetedLease implements Lease {
  readonly job: Job;
  readonly #parts: Parts;
  readonly #times: typeof ordinaryTimes;
  readonly #now: () => number;
  #heldTerm: HeldTerm | undefined;
  /** The row of another holder, and when it last changed by the clock of this process. */
  #observed = { renewedAt: '', since: 0 };
  #timer: NodeJS.Timeout | undefined;
  /** Of a standby, from the start of the last round. */
  #retryMs = 0;
  #roundAt = 0;
  readonly #signal = createNotifier();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#times = parts.times ?? ordinaryTimes;
    this.#now = parts.now ?? (() => performance.now());
    this.job = {
      name: 'lease',
      intervalMs: () => this.#intervalMs(),
      round: () => this.#round(),
      listener: this.#signal.listen('lease'),
    };
    parts.stopping.addEventListener('abort', () => this.#heldTerm?.ending.abort());
  }

  term = (): Term | undefined => (this.#parts.stopping.aborted ? undefined : this.#current());

  isHeld = (): boolean => this.#current() !== undefined;

  tryNow = (): void => {
    this.#retryMs = 0;
    this.#signal.notify('lease');
  };

  release = async (): Promise<void> => {
    if (!this.#current()) return;
    clearTimeout(this.#timer);
    this.#heldTerm = undefined;
    await releaseLease(this.#parts.db, leaseName, this.#parts.holder);
  };

  async #round(): Promise<void> {
    const requestedAt = this.#now();
    this.#roundAt = requestedAt;
    const own = this.#current();
    if (own && requestedAt < own.renewAt) return;
    this.#retryMs = this.#times.triedEveryS * 1000;
    const isStale = !own && requestedAt - this.#observed.since > this.#times.staleS * 1000;
    const { db, holder, worker, observe = (write) => write() } = this.#parts;
    const request = {
      name: leaseName,
      holder,
      seconds: this.#times.lastsS,
      seen: isStale ? this.#observed.renewedAt || undefined : undefined,
      worker,
    };
    const view = await observe(() => takeLease(db, request));
    if (!view.isOurs) this.#retryMs = this.#pauseMs(view.leftMs);
    if (view.renewedAt !== this.#observed.renewedAt)
      this.#observed = { renewedAt: view.renewedAt, since: this.#now() };
    if (view.isOurs) this.#hold(view.fence, requestedAt);
    else this.#lose();
  }

  /** From the start of the last round. A round that starts before the time of renewal does nothing. */
  #intervalMs(): number {
    const renewAt = this.#current()?.renewAt ?? 0;
    return renewAt > this.#roundAt ? renewAt - this.#roundAt + marginMs : this.#retryMs;
  }

  /** Until the lease of another holder expires, but not longer than between two renewals. */
  #pauseMs(leftMs: number): number {
    const { triedEveryS, renewedEveryS } = this.#times;
    return Math.min(Math.max(leftMs, triedEveryS * 1000), renewedEveryS * 1000);
  }

  #current(): HeldTerm | undefined {
    if (this.#heldTerm && this.#now() >= this.#heldTerm.endsAt && !this.#parts.isResting?.()) this.#lose();
    return this.#heldTerm;
  }

  #hold(fence: number, requestedAt: number): void {
    const endsAt = requestedAt + this.#times.lastsS * 1000;
    const isLate = this.#now() >= endsAt;
    if (isLate || (this.#current() && this.#heldTerm?.fence !== fence)) this.#lose();
    if (isLate) return;
    if (!this.#heldTerm) this.#parts.log.info('this sidecar has acquired the lease', { fence });
    const renewAt = requestedAt + this.#times.renewedEveryS * 1000;
    this.#heldTerm = Object.assign(this.#heldTerm ?? this.#newTerm(fence), { endsAt, renewAt });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#current(), endsAt - this.#now() + 1).unref();
  }

  #newTerm(fence: number): Pick<HeldTerm, 'fence' | 'ending' | 'signal'> {
    const ending = new AbortController();
    if (this.#parts.stopping.aborted) ending.abort();
    return { fence, ending, signal: ending.signal };
  }

  #lose(): void {
    clearTimeout(this.#timer);
    this.#heldTerm?.ending.abort();
    if (this.#heldTerm)
      this.#parts.log.warn('the lease of the sidecars is lost', { fence: this.#heldTerm.fence });
    this.#heldTerm = undefined;
  }
}

/**
 * Restricts a job to the leader. In a new term, the first round is due immediately. No round starts after the lease
 * has expired.
 */
export function onLeader(lease: Pick<Lease, 'term'>, job: Job): Job {
  let ranIn: Term | undefined;
  return {
    ...job,
    intervalMs: () => (lease.term() === ranIn ? job.intervalMs() : 0),
    round: async () => {
      ranIn = lease.term();
      if (ranIn) await job.round(ranIn.signal);
    },
  };
}
