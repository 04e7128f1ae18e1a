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
  ofTable: Selection<Row>;
};

/** Bulk operations accept at most this number of ids. */
const mostSelected = 500;

/** @returns undefined if the kind has no action on several records that the user may use */
export function useSelection(kind: Kind, rows: Rows, hasActions: boolean) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const toggle = (row: Row) => {
    const next = new Map(chosen);
    const key = idOf(kind, row);
    if (!next.delete(key) && next.size < mostSelected) next.set(key, row);
    setChosen(next);
  };
  const toggleAll = () => {
    const all = chosen.size > 0 ? [] : rows.loaded().slice(0, mostSelected);
    setChosen(new Map(all.map((row) => [idOf(kind, row), row])));
  };
  if (!hasActions && !allowed(kind.bulkDestroy)) return undefined;
  const selected: Selected = {
    keys: [...chosen.keys()],
    rowOf: (key) => chosen.get(key),
    clear: () => setChosen(new Map()),
    ofTable: {
      has: (row) => chosen.has(idOf(kind, row)),
      toggle,
      labelOf: (row) => say('select_one', { name: titleOf(kind, row) }),
      all: { label: say('select_all'), isChecked: chosen.size > 0, onToggle: toggleAll },
    },
  };
  return selected;
}
