import type { JSX } from 'preact';
import { isNothing, Value } from '../fields/value.tsx';
import { type Field, isNamedBeside, isNameOfReference, type Row } from '../kinds.ts';
import classes from './record.module.css';

/** Members that say what a record is in, and those that are there for programs and support. */
const ranks: Readonly<Record<string, number>> = {
  ...{ name: -3, state: -2, status: -1 },
  ...{ created_at: 1, updated_at: 2, id: 3, uuid: 4, prev_hash: 5, hash: 6 },
};
const rankOf = ({ name }: Field): number => ranks[name] ?? 0;

/** A member whose content has no declaration. Without content there is nothing to say about it. */
const isOpen = ({ type, fields }: Field): boolean =>
  type === 'json' || (type === 'object' && !fields?.length);

/** All members of a record with their labels. Secrets are never returned; a switch beside them says whether they are set. */
export function Members({ fields, row }: { fields: readonly Field[]; row: Row }): JSX.Element {
  const shown = fields.filter(
    (field) =>
      field.type !== 'secret' &&
      row[field.name] !== undefined &&
      !(isOpen(field) && isNothing(row[field.name])) &&
      // The same as the id.
      !(field.name === 'uuid' && row.uuid === row.id) &&
      !(field.name === 'status' && row.status === row.state) &&
      !isNameOfReference(field, fields) &&
      !isNamedBeside(field, fields),
  );
  return (
    <dl class={classes.members}>
      {shown
        .toSorted((a, b) => rankOf(a) - rankOf(b))
        .map((field) => (
          <div key={field.name} title={field.help}>
            <dt>{field.label}</dt>
            <dd>
              <Value field={field} value={row[field.name]} row={row} />
            </dd>
          </div>
        ))}
    </dl>
  );
}
