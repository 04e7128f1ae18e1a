/** No connection was available in time, or the database did not respond. The statement may still take effect. */
export class NoResponseError extends Error {}

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
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Acquires a slot in FIFO order. @throws Unanswered if none is free within `ms` milliseconds */
  async acquire(ms: number): Promise<void> {
    if (this.#taken < this.#size) return this.take();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await withTimeout(promise, ms).catch((error: unknown) => {
      // The slot was assigned just before the timeout.
      if (!this.#waiting.delete(resolve)) this.release();
      throw error;
    });
  }

  /** Occupies a slot unconditionally, also beyond the size: the session of a closing connection still exists. */
  take(): void {
    this.#taken++;
  }

  release(): void {
    this.#taken--;
    if (this.#taken >= this.#size) return;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    this.take();
    next();
  }
}
