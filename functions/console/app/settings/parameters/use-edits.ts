import { useEffect, useState } from 'preact/hooks';
import { dropDraft, keepDraft, readDraft } from '../../records/form/drafts.ts';
import { isEqual } from '../../records/form/form-values.ts';
import type { Parameter } from './parameters.ts';

/** A typed value, and the one that was stored when it was typed. */
export type Edit = { value: unknown; original: unknown };
export type Edits = ReadonlyMap<string, Edit>;

const address = '#/parameters';

/** Typed values that are not saved. They survive a reload of the page. */
export function useEdits() {
  const [edits, setEdits] = useState<Edits>(() => new Map(Object.entries(readEdits())));
  useEffect(() => {
    if (edits.size > 0) keepDraft(address, [], Object.fromEntries(edits));
    else dropDraft(address);
  }, [edits]);
  const set = ({ name, value: stored }: Parameter, value: unknown) =>
    setEdits((old) => {
      const next = new Map(old);
      const original = old.get(name)?.original ?? stored;
      if (isEqual(value, stored)) next.delete(name);
      else next.set(name, { value, original });
      return next;
    });
  return { edits, set, replace: setEdits, clear: () => setEdits(new Map()) };
}

const readEdits = (): Record<string, Edit> =>
  Object.fromEntries(
    Object.entries(readDraft(address)?.values ?? {}).filter((entry): entry is [string, Edit] =>
      isEdit(entry[1]),
    ),
  );

const isEdit = (value: unknown): value is Edit =>
  typeof value === 'object' && value !== null && 'value' in value && 'original' in value;

/** Edited parameters whose stored value is another one than when they were edited. */
export const outdated = (edits: Edits, parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter(({ name, value }) => {
    const edit = edits.get(name);
    return edit !== undefined && !isEqual(edit.original, value) && !isEqual(edit.value, value);
  });
