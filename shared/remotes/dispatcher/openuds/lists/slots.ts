import { createSemaphore, type Semaphore } from '../../../../kernel/concurrency/semaphore.ts';

/** Runs work one at a time for each key. A semaphore exists as long as it is in use. */
export class Slots {
  readonly #inUse = new Map<string, { semaphore: Semaphore; users: number }>();

  async run<T>(key: string, work: () => PromiseLike<T>): Promise<T> {
    const slot = this.#inUse.get(key) ?? { semaphore: createSemaphore(1), users: 0 };
    this.#inUse.set(key, slot);
    slot.users += 1;
    try {
      return await slot.semaphore(work);
    } finally {
      slot.users -= 1;
      if (slot.users === 0) this.#inUse.delete(key);
    }
  }
}
