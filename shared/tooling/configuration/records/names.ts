import { closest, distance } from 'fastest-levenshtein';
import { foldName } from '../../../kernel/text.ts';
import type { Target } from '../kinds.ts';

/**
 * Names of objects and their ids. Groups and users are named `<label of the domain>/<name>`, because a label has no
 * slash; other objects by their own name. Names are case-insensitive.
 */
export class Names {
  readonly #ids = new Map<Target, Map<string, string>>();
  readonly #names = new Map<string, string>();

  /**
   * A further name of the same object is an alias; the first name is displayed. A later object with the same name
   * replaces the earlier one: a file may assign the label of one domain to another.
   */
  add(target: Target, name: string, id: string): void {
    const ids = this.#ids.get(target) ?? new Map<string, string>();
    this.#ids.set(target, ids.set(foldName(name), id));
    if (!this.#names.has(id)) this.#names.set(id, name);
  }

  idOf(target: Target, name: string): string | undefined {
    return this.#ids.get(target)?.get(foldName(name));
  }

  /** The name of an object, or its id if the object does not exist any more. */
  nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  /** The most similar name, for a suggestion. */
  nearest(target: Target, name: string): string | undefined {
    const ids = this.#ids.get(target) ?? new Map<string, string>();
    const near = nearestOf(foldName(name), [...ids.keys()]);
    const id = near === undefined ? undefined : ids.get(near);
    return id === undefined ? undefined : this.nameOf(id);
  }
}

/** The most similar word, if it may be a misspelling. */
export function nearestOf(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const near = closest(word, words);
  return distance(word, near) <= Math.max(1, Math.floor(word.length / 3)) ? near : undefined;
}

export const didYouMean = (near: string | undefined): string =>
  near === undefined ? '' : `; did you mean ${near}?`;
