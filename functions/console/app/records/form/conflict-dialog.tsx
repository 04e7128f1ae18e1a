import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { say } from '../../texts.ts';
import { Value } from '../fields/value.tsx';
import classes from './form.module.css';
import { type Conflict, isEqual, type Values } from './form-values.ts';

type ConflictDialogProps = {
  conflicts: readonly Conflict[];
  onClose: () => void;
  /** The chosen values of the members that both changed. */
  onResolve: (chosen: Values) => void;
};

type Side = 'mine' | 'theirs';

/**
 * Another administrator has changed the record since the form was opened: for each such member, the own value, the stored one and
 * the one that both started from.
 */
export function ConflictDialog({ conflicts, onClose, onResolve }: ConflictDialogProps): JSX.Element {
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = ({ field, mine, original }: Conflict): Side =>
    sides[field.name] ?? (isEqual(mine, original) ? 'theirs' : 'mine');
  const resolve = () =>
    onResolve(
      Object.fromEntries(conflicts.map((conflict) => [conflict.field.name, conflict[sideOf(conflict)]])),
    );
  return (
    <Dialog
      title={say('conflict_title')}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('back_to_form')}
          </Button>
          <Button onClick={resolve}>{say('save_chosen')}</Button>
        </>
      }
    >
      <p>{say('conflict_text')}</p>
      <ConflictTable
        conflicts={conflicts}
        sideOf={sideOf}
        onSide={(name, side) => setSides({ ...sides, [name]: side })}
      />
    </Dialog>
  );
}

type ConflictTableProps = {
  conflicts: readonly Conflict[];
  sideOf: (conflict: Conflict) => Side;
  onSide: (name: string, side: Side) => void;
};

const ConflictTable = ({ conflicts, sideOf, onSide }: ConflictTableProps): JSX.Element => (
  <table class={classes.columns}>
    <thead>
      <tr>
        {(['member', 'mine', 'theirs', 'original'] as const).map((name) => (
          <th key={name} scope="col">
            {say(name)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {conflicts.map((conflict) => (
        <ConflictRow
          key={conflict.field.name}
          conflict={conflict}
          side={sideOf(conflict)}
          onSide={(side) => onSide(conflict.field.name, side)}
        />
      ))}
    </tbody>
  </table>
);

type ConflictRowProps = { conflict: Conflict; side: Side; onSide: (side: Side) => void };

const ConflictRow = ({ conflict, side, onSide }: ConflictRowProps): JSX.Element => {
  const { field, original } = conflict;
  return (
    <tr>
      <th scope="row">{field.label}</th>
      {(['mine', 'theirs'] as const).map((one) => (
        <td key={one} data-label={say(one)}>
          <label>
            <input
              type="radio"
              name={`side-${field.name}`}
              aria-label={`${field.label}: ${say(one)}`}
              checked={side === one}
              onChange={() => onSide(one)}
            />
            <span>
              <Value field={field} value={conflict[one]} />
            </span>
          </label>
        </td>
      ))}
      <td data-label={say('original')}>
        <Value field={field} value={original} />
      </td>
    </tr>
  );
};
