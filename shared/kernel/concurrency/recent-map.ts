/** A map of at most `size` entries. It drops the entry that was not used for the longest time. */
export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @returns the value of the entry, which counts as used now */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** @returns the key of the entry that was dropped */
  set(key: Key, value: Value): Key | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#size) return undefined;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
    return oldest;
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }
}
