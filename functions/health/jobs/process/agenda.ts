import type { Agenda, DueIn } from '../../../../db/repositories/jobs/agenda.ts';
import { createNotifier, type Listener } from '../../../../shared/kernel/concurrency/notifier.ts';
import { type Lease, onLeader, type Term } from './lease.ts';
import type { Job } from './loop.ts';

export type AgendaParts = {
  read: () => Promise<Agenda>;
  lease: Pick<Lease, 'term'>;
  /** Interval in milliseconds between two reads while there is no work. */
  idleMs: () => number;
};

/** The last agenda of the current term, and the start of its read by `performance.now()`. */
export type KnownAgenda = { agenda: Agenda; at: number };

/** Interval in milliseconds between two reads while there is work. */
const busyMs = 500;
/**
 * Time after a notification in which further work is looked for: writers send at most one notification per second, and
 * a write after a notification can commit later than that.
 */
const busyAfterNoticeMs = 2_000;
/** Pause after a failed read. */
const retryMs = 2_000;

/** Reads what the leader has to do, in one statement for all of its tasks. */
export class AgendaReader {
  /** Reads the agenda: at the interval, after a notification, and after rounds of tasks that change it. */
  readonly job: Job;
  readonly #parts: AgendaParts;
  readonly #notifier = createNotifier();
  #known: (KnownAgenda & { term: Term }) | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #noticedAt = Number.NEGATIVE_INFINITY;
  #isRefreshed = false;
  #hasFailed = false;

  constructor(parts: AgendaParts) {
    this.#parts = parts;
    this.job = onLeader(parts.lease, {
      name: 'agenda',
      intervalMs: () => this.#intervalMs(),
      round: () => this.#round(),
      listener: this.#notifier.listen('reader'),
    });
  }

  /** Undefined before the first read of a term. */
  current = (): KnownAgenda | undefined =>
    this.#known !== undefined && this.#known.term === this.#parts.lease.term() ? this.#known : undefined;

  /** There may be work: reads at once, and then often until no notification has arrived for two seconds. */
  notify = (): void => {
    this.#noticedAt = performance.now();
    this.#notifier.notify('reader');
  };

  /** Reads again soon, because a task may have changed what is due. */
  refresh = (): void => {
    this.#isRefreshed = true;
    this.#notifier.notify('reader');
  };

  /** Is notified of each read. */
  listen = (): Listener => this.#notifier.listen('tasks');

  async #round(): Promise<void> {
    const term = this.#parts.lease.term();
    if (!term) return;
    const at = performance.now();
    this.#startedAt = at;
    this.#isRefreshed = false;
    this.#hasFailed = true;
    const agenda = await this.#parts.read();
    this.#hasFailed = false;
    this.#known = { agenda, at, term };
    this.#notifier.notify('tasks');
  }

  #intervalMs(): number {
    const { lease, idleMs } = this.#parts;
    if (!lease.term()) return Number.POSITIVE_INFINITY;
    if (this.#hasFailed) return retryMs;
    if (this.#noticedAt > this.#startedAt || !this.current()) return 0;
    const isBusy = this.#isRefreshed || performance.now() - this.#noticedAt < busyAfterNoticeMs;
    return isBusy ? busyMs : idleMs();
  }
}

/** A task of the leader. */
export type Task = Job & {
  /**
   * When the task is due; without it, at its interval. `intervalMs` is then the minimum time between two rounds.
   * @param at start of the read of the agenda, by `performance.now()`
   * @returns milliseconds from then; null if there is nothing to do
   */
  dueIn?: (agenda: Agenda, at: number) => DueIn;
  /** False if a round makes nothing else due; the agenda is then read again at its interval. */
  changesAgenda?: boolean;
};

type Reader = Pick<AgendaReader, 'current' | 'refresh' | 'listen'>;

const never = Number.NEGATIVE_INFINITY;

/**
 * Restricts a task to the leader, and makes it wait until the agenda of the current term contains work for it. No round
 * starts after the lease has expired.
 */
export function whenDue(lease: Pick<Lease, 'term'>, reader: Reader, task: Task): Job {
  const { dueIn, changesAgenda = true, ...job } = task;
  let last: { term?: Term; startedAt: number; endedAt: number } = { startedAt: never, endedAt: never };
  /** The start of the wait, as the loop measures it. */
  let calledAt = never;
  const dueAt = (): number => {
    const known = reader.current();
    if (!known) return Number.POSITIVE_INFINITY;
    const earliest = last.startedAt + job.intervalMs();
    if (!dueIn) return last.term === lease.term() ? earliest : never;
    const due = known.at < last.endedAt ? null : dueIn(known.agenda, known.at);
    return due === null ? Number.POSITIVE_INFINITY : Math.max(earliest, known.at + due);
  };
  const round = async (signal: AbortSignal): Promise<void> => {
    calledAt = performance.now();
    const term = lease.term();
    if (!term || !reader.current()) return;
    last = { term, startedAt: calledAt, endedAt: never };
    try {
      await job.round(AbortSignal.any([term.signal, signal]));
    } finally {
      last.endedAt = performance.now();
      if (dueIn && changesAgenda) reader.refresh();
    }
  };
  return { ...job, intervalMs: () => dueAt() - calledAt, round, listener: reader.listen() };
}
