import type { JSX } from 'preact';
import type { Kind, Parents, Row } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { ActionMenus } from '../actions/menus.tsx';
import classes from './parts.module.css';

type SelectionActionsProps = { kind: Kind; parents: Parents; selection: Selected };

/** Actions on the selected pools, workplaces or sessions. */
export function SelectionActions({
  kind,
  selection: { keys, rowOf, clear },
}: SelectionActionsProps): JSX.Element {
  const rows = keys.map(rowOf).filter((row) => row !== undefined);
  return <ActionMenus kind={kind} rows={rows} onDone={clear} />;
}

type RowActionsProps = { kind: Kind; row: Row; onClose: () => void };

/** The same actions in the dialog of one record. */
export const RowActions = ({ kind, row, onClose }: RowActionsProps): JSX.Element => (
  <div class={classes.actions}>
    <ActionMenus kind={kind} rows={[row]} onDone={onClose} />
  </div>
);
