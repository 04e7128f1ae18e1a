/** No connection was free in time, or the database did not answer: a statement may have an effect later. */
export class Unanswered extends Error {}

/** @throws Unanswered after that time */
export function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Unanswered('The database did not answer: timeout')), ms);
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
}

/** The places of a pool: one for each connection in use, and one for each that the server has not ended yet. */
export class Slots {
  readonly #size: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a slot, in the order of the calls. @throws Unanswered when none is free within `ms` */
  async acquire(ms: number): Promise<void> {
    if (this.#taken < this.#size) return this.take();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await within(promise, ms).catch((error: unknown) => {
      // It was given at the last moment.
      if (!this.#waiting.delete(resolve)) this.release();
      throw error;
    });
  }

  /** Takes a slot at once, though there may be none: a connection that is closed has left its own. */
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
