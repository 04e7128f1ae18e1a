import { nextTurn } from './event-loop.ts';

/** Units of work of one request, and of one turn of the event loop. A unit takes about a microsecond. */
export const workLimits = { request: 100_000, turn: 4_000 } as const;

/**
 * The work of one request after its body was read. Limits of size do not bound it where parts of a body are compared with each
 * other or with stored values: a few thousand small parts can need millions of comparisons. Whatever loops over such parts
 * counts its steps here before it does them.
 */
export class Work {
  readonly #refusal: () => Error;
  #spent = 0;
  #ofTurn = 0;

  /** @param refusal the error of a request that needs more than `workLimits.request` */
  constructor(refusal: () => Error) {
    this.#refusal = refusal;
  }

  /** Units so far, without those of a step that was refused. */
  get spent(): number {
    return this.#spent;
  }

  /**
   * Counts steps that are about to be done.
   * @throws the refusal if the request would exceed its limit
   */
  spend(units: number): void {
    if (this.#spent + units > workLimits.request) throw this.#refusal();
    this.#spent += units;
    this.#ofTurn += units;
  }

  /** Lets other requests run if this one has used its share of the turn. */
  async pause(): Promise<void> {
    if (this.#ofTurn < workLimits.turn) return;
    this.#ofTurn = 0;
    await nextTurn();
  }

  /** Does a step with each element, of so many units, and lets other requests run in between. */
  async each<T>(elements: readonly T[], step: (element: T) => void, units = 1): Promise<void> {
    for (let at = 0; at < elements.length; at += workLimits.turn) {
      const part = elements.slice(at, at + workLimits.turn);
      this.spend(part.length * units);
      part.forEach(step);
      await this.pause();
    }
  }
}
