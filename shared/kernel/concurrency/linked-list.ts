/** An entry of a linked list. It is in one list at a time. */
export type Entry<T> = { readonly value: T; before: Entry<T> | undefined; after: Entry<T> | undefined };

/** A doubly linked list. Every operation takes constant time, which a `Map` in insertion order does not guarantee. */
export type LinkedList<T> = {
  first(): T | undefined;
  append(entry: Entry<T>): void;
  /** The entry must be in this list. */
  remove(entry: Entry<T>): void;
};

export const entryOf = <T>(value: T): Entry<T> => ({ value, before: undefined, after: undefined });

export function createLinkedList<T>(): LinkedList<T> {
  let first: Entry<T> | undefined;
  let last: Entry<T> | undefined;
  return {
    first: () => first?.value,
    append: (entry) => {
      entry.before = last;
      if (last) last.after = entry;
      else first = entry;
      last = entry;
    },
    remove: (entry) => {
      const { before, after } = entry;
      if (before) before.after = after;
      else first = after;
      if (after) after.before = before;
      else last = before;
      entry.before = undefined;
      entry.after = undefined;
    },
  };
}
