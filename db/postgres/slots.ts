/** No connection was available in time, or the database did not respond. The statement may still take effect. */
export class NoResponseError extends Error {}

/** No connection was free in time, although the database answers others. Nothing was sent. */
export class BusyPoolError extends NoResponseError {}

/** Milliseconds after its last answer in which the database counts as answering. */
const answeringMs = 1_000;

/** @throws Unanswered after `ms` milliseconds */
export function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new NoResponseError('The database did not answer: timeout')),
    ms,
  );
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** The slots of a pool: one per connection in use, and one per connection that the server has not ended yet. */
export class Slots {
  readonly #size: number;
  readonly #urgent = new Set<() => void>();
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Acquires a slot in FIFO order, before all others if it is urgent.
   * @throws NoResponseError if none is free within `ms` milliseconds; BusyPoolError if the database answers others
   */
  async acquire(ms: number, isUrgent = false): Promise<void> {
    if (this.#taken < this.#size) return this.take();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = isUrgent ? this.#urgent : this.#waiting;
    waiting.add(resolve);
    await withTimeout(promise, ms).catch((error: unknown) => {
      // The slot was assigned just before the timeout.
      if (!waiting.delete(resolve)) this.release();
      const isAnswering = performance.now() - this.#answeredAt < answeringMs;
      throw isAnswering ? new BusyPoolError('All connections to the database are in use') : error;
    });
  }

  /** Notes that the database has answered. */
  noteAnswer(): void {
    this.#answeredAt = performance.now();
  }

  /** Occupies a slot unconditionally, also beyond the size: the session of a closing connection still exists. */
  take(): void {
    this.#taken++;
  }

  release(): void {
    this.#taken--;
    if (this.#taken >= this.#size) return;
    const waiting = this.#urgent.size > 0 ? this.#urgent : this.#waiting;
    const [next] = waiting;
    if (!next) return;
    waiting.delete(next);
    this.take();
    next();
  }
}
