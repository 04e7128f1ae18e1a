/** Checks of one domain that run at once, at least and at most. */
const [fewest, most] = [4, 32];
/** Failures in a row after which a provider is asked one question at a time. */
const failsAfter = 4;
/** Milliseconds for which a failing provider is not asked again before its sessions end. */
const knownMs = 120_000;

/** `faults`: failures in a row; undefined before the first result. */
type Turn = { running: number; slots: number; faults: number | undefined; faultAt: number };

/**
 * How many checks of each domain run at once. A domain has enough to check all its sessions twice in the interval if an
 * answer takes a second. A provider that does not answer has one.
 */
export class Turns {
  readonly #turns = new Map<string, Turn>();

  /** @param perSecond number of checks that are due in a second */
  resize(domain: string, perSecond: number): void {
    this.#of(domain).slots = Math.min(most, Math.max(fewest, Math.ceil(2 * perSecond)));
  }

  begin(domain: string): void {
    this.#of(domain).running++;
  }

  end(domain: string): void {
    this.#of(domain).running--;
  }

  /** @returns true for the first answer after a failure, and for the first of all: an earlier process may have noted one */
  noteAnswer(domain: string): boolean {
    const turn = this.#of(domain);
    const isNews = turn.faults !== 0;
    turn.faults = 0;
    return isNews;
  }

  /** @returns true for the first failure in a row */
  noteFault(domain: string, atMs: number): boolean {
    const turn = this.#of(domain);
    turn.faults = (turn.faults ?? 0) + 1;
    turn.faultAt = atMs;
    return turn.faults === 1;
  }

  isAnswering = (domain: string): boolean => this.#of(domain).faults === 0;

  isFailing = (domain: string): boolean => (this.#of(domain).faults ?? 0) >= failsAfter;

  /** The provider failed a moment ago, and is not asked again for a session that ends anyway. */
  isKnownToFail = (domain: string, nowMs: number): boolean =>
    this.isFailing(domain) && nowMs - this.#of(domain).faultAt < knownMs;

  /** Checks that may begin now, by domain. Domains that are missing have `fewest`. */
  free(): Record<string, number> {
    const of = ([domain, { running, slots }]: [string, Turn]): [string, number] => [
      domain,
      Math.max(0, (this.isFailing(domain) ? 1 : slots) - running),
    ];
    return Object.fromEntries([...this.#turns].map(of));
  }

  #of(domain: string): Turn {
    const turn = this.#turns.get(domain) ?? { running: 0, slots: fewest, faults: undefined, faultAt: 0 };
    this.#turns.set(domain, turn);
    return turn;
  }
}

export const slotsOfNewDomains = fewest;
