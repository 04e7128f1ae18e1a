import type { Db } from '../../../db/client.ts';
import { type LeaseView, releaseLease, takeLease } from '../../../db/repositories/leases.ts';
import type { Log } from '../../../shared/kernel/log.ts';
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

const name = 'sidecar';
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
export function keepLease({ db, holder, log, stopping, ...given }: Parts): Lease {
  const { times = ordinaryTimes, now = () => performance.now() } = given;
  const tenure = createTenure({ log, stopping, now, times });
  let seen = { renewedAt: '', since: 0 };
  const look = ({ renewedAt }: LeaseView): void => {
    if (renewedAt !== seen.renewedAt) seen = { renewedAt, since: now() };
  };
  const round = async (): Promise<void> => {
    const askedAt = now();
    const own = tenure.current();
    if (own && askedAt < own.renewAt) return;
    const isStale = !own && askedAt - seen.since > times.staleS * 1000;
    const view = await takeLease(db, {
      name,
      holder,
      seconds: times.lastsS,
      seen: isStale ? seen.renewedAt || undefined : undefined,
    });
    look(view);
    if (view.isOurs) tenure.hold(view.fence, askedAt);
    else tenure.lose();
  };
  return {
    term: () => (stopping.aborted ? undefined : tenure.current()),
    isHeld: () => tenure.current() !== undefined,
    job: { name: 'lease', intervalMs: () => times.triedEveryS * 1000, round },
    release: async () => {
      if (tenure.leave()) await releaseLease(db, name, holder);
    },
  };
}

type TenureParts = Pick<Parts, 'log' | 'stopping'> & Required<Pick<Parts, 'times' | 'now'>>;

/** The term of this process as far as it knows, by its own clock. */
function createTenure({ log, stopping, now, times: { lastsS, renewedEveryS } }: TenureParts) {
  let held: Held | undefined;
  let timer: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', () => held?.ending.abort());

  const lose = (): void => {
    clearTimeout(timer);
    held?.ending.abort();
    if (held) log.warn('the lease of the sidecars is lost', { fence: held.fence });
    held = undefined;
  };
  const current = (): Held | undefined => {
    if (held && now() >= held.endsAt) lose();
    return held;
  };
  const newTerm = (fence: number) => {
    const ending = new AbortController();
    if (stopping.aborted) ending.abort();
    return { fence, ending, signal: ending.signal };
  };
  const hold = (fence: number, askedAt: number): void => {
    const endsAt = askedAt + lastsS * 1000;
    if (now() >= endsAt || (current() && held?.fence !== fence)) lose();
    if (now() >= endsAt) return;
    if (!held) log.info('this sidecar has taken the lease', { fence });
    held = Object.assign(held ?? newTerm(fence), { endsAt, renewAt: askedAt + renewedEveryS * 1000 });
    clearTimeout(timer);
    timer = setTimeout(current, endsAt - now() + 1).unref();
  };
  /** Ends the term without a warning. @returns false when there is none */
  const leave = (): boolean => {
    if (!current()) return false;
    clearTimeout(timer);
    held = undefined;
    return true;
  };
  return { current, hold, lose, leave };
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
