import { timerDelay } from '../../../kernel/concurrency/timers.ts';
import type { Problem } from './messages.ts';
import type { Client, EngineQueue, Holder } from './queue.ts';

/** Limits of a client in milliseconds; 0 disables a limit. */
export type Limits = {
  statementMs: number;
  lockMs: number;
  /** Undefined if not set: the default applies while other clients wait. */
  idleMs: number | undefined;
};

export const limitProblems = {
  statement: { code: '57014', message: 'canceling statement due to statement timeout' },
  lock: { code: '55P03', message: 'canceling statement due to lock timeout' },
  cancel: { code: '57014', message: 'canceling statement due to user request' },
  idle: { code: '25P03', message: 'terminating connection due to idle-in-transaction timeout' },
} as const satisfies Record<string, Problem>;

export type LimitsOptions = {
  limitsOf(client: Client): Limits;
  /** Ends a session that is idle in a transaction. */
  end(client: Client, problem: Problem): void;
  defaultIdleMs: number;
};

/**
 * Timeouts of PostgreSQL for clients that wait for the engine. `statement_timeout` counts from the arrival of a
 * statement to its start; `lock_timeout` counts while another client is in a transaction. Running statements are not
 * interrupted.
 */
export class LimitWatch {
  readonly #queue: EngineQueue;
  readonly #options: LimitsOptions;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(queue: EngineQueue, options: LimitsOptions) {
    this.#queue = queue;
    this.#options = options;
    queue.onChange = () => this.#schedule();
  }

  stop(): void {
    this.#queue.onChange = () => undefined;
    clearTimeout(this.#timer);
  }

  /** Sets the timer to the next deadline, unless it is set to an earlier time. */
  #schedule(): void {
    const { holder, waiting } = this.#queue;
    const deadlines = waiting.map((client) => this.#deadlineOf(client, holder).at);
    const at = Math.min(...deadlines, this.#idleDeadline(holder, waiting.length > 0));
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#enforce(), timerDelay(Math.ceil(at - performance.now())));
    this.#timer.unref();
  }

  #enforce(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const { holder, waiting } = this.#queue;
    for (const client of waiting) {
      const { at, problem } = this.#deadlineOf(client, holder);
      if (at <= now) this.#queue.withdraw(client)?.refuse(problem);
    }
    if (holder && this.#idleDeadline(holder, waiting.length > 0) <= now) {
      this.#options.end(holder.client, limitProblems.idle);
    }
    this.#schedule();
  }

  #deadlineOf(client: Client, holder: Holder | undefined): { at: number; problem: Problem } {
    const { statementMs, lockMs } = this.#options.limitsOf(client);
    const statementAt = after(client.waitsSince, statementMs);
    // Each transaction of another client counts as a new lock.
    const lockAt = holder
      ? after(Math.max(client.waitsSince, holder.heldSince), lockMs)
      : Number.POSITIVE_INFINITY;
    return lockAt < statementAt
      ? { at: lockAt, problem: limitProblems.lock }
      : { at: statementAt, problem: limitProblems.statement };
  }

  #idleDeadline(holder: Holder | undefined, othersWait: boolean): number {
    if (holder?.idleSince === undefined) return Number.POSITIVE_INFINITY;
    const { idleMs } = this.#options.limitsOf(holder.client);
    return after(holder.idleSince, idleMs ?? (othersWait ? this.#options.defaultIdleMs : 0));
  }
}

const after = (start: number, limitMs: number): number =>
  limitMs > 0 ? start + limitMs : Number.POSITIVE_INFINITY;
