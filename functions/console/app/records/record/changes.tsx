import type { JSX } from 'preact';
import { say } from '../../texts.ts';
import { Pairs } from '../fields/pairs.tsx';
import { nothing, Value } from '../fields/value.tsx';
import { fieldOf, type Kind } from '../kinds.ts';
import type { Change } from '../requests.ts';
import classes from './record.module.css';

/** Changed members with their values before and after, side by side. */
export const Changes = ({ kind, changes }: { kind: Kind; changes: readonly Change[] }): JSX.Element => (
  <table class={classes.changes}>
    <thead>
      <tr>
        <th scope="col">{say('member')}</th>
        <th scope="col">{say('before')}</th>
        <th scope="col">{say('after')}</th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ field, before, after }) => (
        <tr key={field}>
          <th scope="row">{fieldOf(kind, field)?.label ?? field}</th>
          <td>
            <del>
              <Shown kind={kind} name={field} value={before} />
            </del>
          </td>
          <td>
            <ins>
              <Shown kind={kind} name={field} value={after} />
            </ins>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function Shown({ kind, name, value }: { kind: Kind; name: string; value: unknown }): JSX.Element {
  const field = fieldOf(kind, name);
  if (value === null || value === undefined) return <>{nothing}</>;
  if (!field || field.type === 'secret') return <Pairs value={value} />;
  return <Value field={field} value={value} />;
}
