import type { Db } from '../../../../db/client.ts';
import { releaseLease, takeLease } from '../../../../db/repositories/jobs/leases.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';
import type { Job } from './loop.ts';

/** The time during which this sidecar is the leader. */
export type Term = {
  /** Greater than that of each former holder. */
  fence: number;
  /** Aborts when the lease is lost, and when the sidecar stops. */
  signal: AbortSignal;
};

/** The lease of which one sidecar at a time is the holder, the leader: it runs what is to run once for all of them. */
export type Lease = {
  /** The present term; undefined on a standby, and in a sidecar that stops. */
  term(): Term | undefined;
  /** True until the lease has run out by the clock of this process, also while the sidecar stops. */
  isHeld(): boolean;
  /** Takes and renews the lease. */
  job: Job;
  /** Frees the lease for another sidecar at once. */
  release(): Promise<void>;
};

type Parts = {
  /** A connection that nothing else waits for. */
  db: Db;
  /** Name of this process, unlike that of any other. */
  holder: string;
  log: Pick<Log, 'info' | 'warn'>;
  stopping: AbortSignal;
  /** Seconds; injected so that tests need not wait. */
  times?: typeof ordinaryTimes;
  /** Milliseconds of a clock that only goes forward; injected so that tests can move it. */
  now?: () => number;
};

const leaseName = 'sidecar';
const ordinaryTimes = {
  lastsS: 20,
  renewedEveryS: 10,
  triedEveryS: 2,
  /** A holder that has not renewed for this long does not hold the lease, whatever the clock of the database says. */
  staleS: 25,
};

type Held = Term & { ending: AbortController; endsAt: number; renewAt: number };

/**
 * Competes for the lease. The holder counts its time from before it asked, and by its own clock, so that a process that
 * was frozen knows that its time is over before it does anything else.
 */
export const keepLease = (parts: Parts): Lease => new CompetedLease(parts);

class CompetedLease implements Lease {
  readonly job: Job;
  readonly #parts: Parts;
  readonly #times: typeof ordinaryTimes;
  readonly #now: () => number;
  #held: Held | undefined;
  /** When the row that another process holds was last seen to change, by our clock. */
  #seen = { renewedAt: '', since: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#times = parts.times ?? ordinaryTimes;
    this.#now = parts.now ?? (() => performance.now());
    this.job = {
      name: 'lease',
      intervalMs: () => this.#times.triedEveryS * 1000,
      round: () => this.#round(),
    };
    parts.stopping.addEventListener('abort', () => this.#held?.ending.abort());
  }

  term = (): Term | undefined => (this.#parts.stopping.aborted ? undefined : this.#current());

  isHeld = (): boolean => this.#current() !== undefined;

  release = async (): Promise<void> => {
    if (!this.#current()) return;
    clearTimeout(this.#timer);
    this.#held = undefined;
    await releaseLease(this.#parts.db, leaseName, this.#parts.holder);
  };

  async #round(): Promise<void> {
    const askedAt = this.#now();
    const own = this.#current();
    if (own && askedAt < own.renewAt) return;
    const isStale = !own && askedAt - this.#seen.since > this.#times.staleS * 1000;
    const view = await takeLease(this.#parts.db, {
      name: leaseName,
      holder: this.#parts.holder,
      seconds: this.#times.lastsS,
      seen: isStale ? this.#seen.renewedAt || undefined : undefined,
    });
    if (view.renewedAt !== this.#seen.renewedAt)
      this.#seen = { renewedAt: view.renewedAt, since: this.#now() };
    if (view.isOurs) this.#hold(view.fence, askedAt);
    else this.#lose();
  }

  #current(): Held | undefined {
    if (this.#held && this.#now() >= this.#held.endsAt) this.#lose();
    return this.#held;
  }

  #hold(fence: number, askedAt: number): void {
    const endsAt = askedAt + this.#times.lastsS * 1000;
    const isLate = this.#now() >= endsAt;
    if (isLate || (this.#current() && this.#held?.fence !== fence)) this.#lose();
    if (isLate) return;
    if (!this.#held) this.#parts.log.info('this sidecar has acquired the lease', { fence });
    const renewAt = askedAt + this.#times.renewedEveryS * 1000;
    this.#held = Object.assign(this.#held ?? this.#newTerm(fence), { endsAt, renewAt });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#current(), endsAt - this.#now() + 1).unref();
  }

  #newTerm(fence: number): Pick<Held, 'fence' | 'ending' | 'signal'> {
    const ending = new AbortController();
    if (this.#parts.stopping.aborted) ending.abort();
    return { fence, ending, signal: ending.signal };
  }

  #lose(): void {
    clearTimeout(this.#timer);
    this.#held?.ending.abort();
    if (this.#held) this.#parts.log.warn('the lease of the sidecars is lost', { fence: this.#held.fence });
    this.#held = undefined;
  }
}

/**
 * A job that runs on the leader only. In a new term its first round is due at once, and no round begins when the lease
 * has run out.
 */
export function onLeader(lease: Lease, job: Job): Job {
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
