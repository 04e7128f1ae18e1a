import { useState } from 'preact/hooks';
import type { Selection } from '../../../../../shared/web/ui/table/data-columns.ts';
import { say } from '../../texts.ts';
import { allowed, idOf, type Kind, type Row, titleOf } from '../kinds.ts';
import type { Rows } from './use-rows.ts';

/** Records that are selected for one action on all of them. */
export type Selected = {
  /** Ids of the records. */
  keys: string[];
  rowOf: (key: string) => Row | undefined;
  clear: () => void;
  ofTable: Selection;
};

/** Bulk operations accept at most this number of ids. */
export const mostSelected = 500;

/** @returns undefined if the kind has no action on several records that the user may use */
export function useSelection(kind: Kind, rows: Rows, hasActions: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const known = () =>
    Array.from({ length: Math.min(rows.count, mostSelected) }, (_, index) => rows.rowAt(index)).filter(
      (row) => row !== undefined,
    );
  const toggle = (key: string) => {
    const next = new Map(chosen);
    const row = known().find((one) => idOf(kind, one) === key) ?? rowWith(kind, rows, key);
    if (!next.delete(key) && row && next.size < mostSelected) next.set(key, row);
    setChosen(next);
  };
  const toggleAll = () =>
    setChosen(chosen.size > 0 ? new Map() : new Map(known().map((row) => [idOf(kind, row), row])));
  if (!hasActions && !allowed(kind.bulkDestroy)) return undefined;
  const nameOf = (key: string): string => {
    const row = chosen.get(key) ?? rowWith(kind, rows, key);
    return row ? titleOf(kind, row) : key;
  };
  const selected: Selected = {
    keys: [...chosen.keys()],
    rowOf: (key) => chosen.get(key),
    clear: () => setChosen(new Map()),
    ofTable: {
      has: (key) => chosen.has(key),
      toggle,
      labelOf: (key) => say('select_one', { name: nameOf(key) }),
      all: { label: say('select_all'), isChecked: chosen.size > 0, onToggle: toggleAll },
    },
  };
  return selected;
}

/** A row that is drawn now. */
function rowWith(kind: Kind, { count, rowAt }: Rows, key: string): Row | undefined {
  for (let index = 0; index < count; index += 1) {
    const row = rowAt(index);
    if (row && idOf(kind, row) === key) return row;
  }
  return undefined;
}
