import type { Agenda } from '../../../../db/repositories/jobs/agenda.ts';
import { createNotifier } from '../../../../shared/kernel/concurrency/notifier.ts';
import type { KnownAgenda } from './agenda.ts';
import type { Job } from './loop.ts';
import { systemTiming, type Timing } from './timing.ts';

export type RestParts = {
  /** `DATABASE_MAY_SUSPEND`. If false, the sidecar never rests. */
  maySuspend: boolean;
  isLeading: () => boolean;
  /** The last agenda of the term of this leader. */
  agenda: () => KnownAgenda | undefined;
  isListening: () => boolean;
  /** The last statement of a leader that rests. Notifies the standbys, which then rest, too. */
  begin: () => Promise<void>;
  /** A statement of a leader that wakes, when the results of probes are written. */
  end: () => Promise<void>;
  /** A rest ends: the lease must be renewed. */
  onWaking: () => void;
  /** The rest has ended, and the lease is renewed or lost. */
  onAwake: () => void;
  timing?: Timing;
};

/** Neon suspends a database after five minutes without statements. */
const shortestMs = 6 * 60_000;
/** Rest without a notification: a write that could not notify is handled by then. */
const longestMs = 60 * 60_000;
/** Time without a notification before a leader rests. */
const quietMs = 10_000;
/** The same for a standby, which the leader usually notifies that it rests. */
const standbyQuietMs = 60_000;
/** Time after a rest in which the results of probes are written. Until then they count as during the rest. */
const settledMs = 5_000;

type State = 'awake' | 'waking' | 'resting';

/**
 * Lets the database suspend. While nothing is pending the sidecar sends no statement: it renews no lease, reads no
 * agenda, and keeps the results of probes in memory. It wakes by a notification, when something is due, and at intervals
 * that grow from six minutes to an hour while no connection receives notifications.
 */
export class Rest {
  readonly job: Job;
  readonly #parts: RestParts;
  readonly #timing: Timing;
  readonly #notifier = createNotifier();
  readonly #preparations: (() => Promise<unknown>)[] = [];
  #state: State = 'awake';
  #changedAt: number;
  #noticedAt: number;
  /** Rounds that use the database. */
  #running = 0;
  /** Rests that ended by time and found nothing to do. */
  #fruitless = 0;
  #dueAt = Number.POSITIVE_INFINITY;
  /** The database may have the mark of a rest, also that of another sidecar. */
  #isMarked = true;
  #cancel = (): void => undefined;

  constructor(parts: RestParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? systemTiming;
    this.#changedAt = this.#timing.now();
    this.#noticedAt = this.#changedAt;
    this.job = { name: 'rest', intervalMs: () => 1_000, round: () => this.#consider() };
  }

  isAwake = (): boolean => this.#state === 'awake';
  /** From the beginning of a rest until the lease is renewed or lost. */
  isResting = (): boolean => this.#state !== 'awake';
  /** Time of the last change between rest and activity. */
  changedAt = (): number => this.#changedAt;

  /** Reads that fill a cache before each rest. */
  beforeRest = (prepare: () => Promise<unknown>): void => void this.#preparations.push(prepare);

  /** There may be work. */
  wake = (): void => {
    this.#noticedAt = this.#timing.now();
    this.#fruitless = 0;
    this.#wake();
  };

  /** The leader rests, so a standby has nothing to wait for. */
  follow = (): void => {
    if (this.#parts.maySuspend && this.isAwake() && !this.#parts.isLeading())
      void this.#beginAsStandby(longestMs);
  };

  /** Notifications no longer arrive: the rest ends earlier. */
  limit = (): void => {
    if (this.#state === 'resting')
      this.#schedule(Math.min(this.#dueAt, this.#timing.now() + this.#unheardMs()));
  };

  whenAwake = async (signal: AbortSignal): Promise<void> => {
    const listener = this.#notifier.listen('awake');
    while (this.#state === 'resting' && !signal.aborted) await listener.next(60_000, signal);
    listener.close();
  };

  /** Keeps a job from using the database during a rest. */
  pausing = <J extends Job>(job: J): J => ({
    ...job,
    intervalMs: () => (this.isAwake() ? job.intervalMs() : Number.POSITIVE_INFINITY),
    round: async (signal) => {
      if (!this.isAwake()) return;
      this.#running++;
      await job.round(signal).finally(() => this.#running--);
    },
  });

  /** The same for the job of the lease, whose round ends a rest. */
  waking = (job: Job): Job => ({
    ...job,
    intervalMs: () => {
      if (this.#state === 'resting') return Number.POSITIVE_INFINITY;
      return this.#state === 'waking' ? 0 : job.intervalMs();
    },
    round: async (signal) => {
      if (this.#state === 'resting') return;
      await job.round(signal);
      if (this.#state !== 'waking') return;
      this.#change('awake');
      this.#parts.onAwake();
    },
  });

  async #consider(): Promise<void> {
    if (!this.#parts.maySuspend || !this.isAwake() || this.#running > 0) return;
    const now = this.#timing.now();
    if (this.#isMarked && this.#parts.isLeading() && now - this.#changedAt > settledMs) {
      await this.#parts.end();
      this.#isMarked = false;
    }
    const quiet = now - Math.max(this.#noticedAt, this.#changedAt);
    if (!this.#parts.isLeading()) {
      if (quiet > standbyQuietMs) await this.#beginAsStandby(this.#unheardMs());
      return;
    }
    const known = this.#parts.agenda();
    if (quiet < quietMs || !known || known.at < this.#noticedAt) return;
    const dueMs = nextDueIn(known.agenda) - (now - known.at);
    if (dueMs < shortestMs) return;
    await this.#prepare();
    this.#isMarked = true;
    await this.#parts.begin();
    // A notification has arrived in the meantime.
    if (known.at < this.#noticedAt) return;
    this.#begin(Math.min(dueMs, this.#parts.isListening() ? longestMs : this.#unheardMs()));
  }

  async #beginAsStandby(ms: number): Promise<void> {
    const since = this.#noticedAt;
    await this.#prepare();
    if (this.isAwake() && this.#noticedAt === since) this.#begin(ms);
  }

  async #prepare(): Promise<void> {
    for (const prepare of this.#preparations) await prepare();
  }

  #unheardMs(): number {
    return Math.min(longestMs, shortestMs * 2 ** this.#fruitless);
  }

  #begin(ms: number): void {
    this.#change('resting');
    this.#schedule(this.#changedAt + ms);
  }

  #schedule(at: number): void {
    this.#cancel();
    this.#dueAt = at;
    this.#cancel = this.#timing.after(at - this.#timing.now(), () => {
      this.#fruitless++;
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#state !== 'resting') return;
    this.#cancel();
    this.#change('waking');
    this.#parts.onWaking();
    this.#notifier.notify('awake');
  }

  #change(state: State): void {
    this.#state = state;
    this.#changedAt = this.#timing.now();
  }
}

/**
 * Milliseconds until work is due that must not wait for the next write. Failing nodes, open circuits and expired
 * heartbeats wait.
 */
function nextDueIn(agenda: Agenda): number {
  const { audit, refusals, telemetry, ended_keys, maintenance, events, webhooks, alerts } = agenda;
  const { outbox, queue, is_working } = agenda;
  const isForwarded = agenda.forwards.every(({ seq, error }) => error !== null || seq >= agenda.sealed_to);
  if (outbox.length > 0 || is_working || !isForwarded) return 0;
  const ofEvents = [events, webhooks, alerts];
  const times = [audit, refusals, telemetry, ended_keys, maintenance, ...ofEvents, ...Object.values(queue)];
  return Math.min(...times.map((due) => due ?? Number.POSITIVE_INFINITY), Number.MAX_SAFE_INTEGER);
}
