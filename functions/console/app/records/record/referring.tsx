import type { JSX } from 'preact';
import type { Referring as Reference } from '../../../../../shared/web/problems/problem.ts';
import { addressOf } from '../../router/place.ts';
import { kindOf, useKinds } from '../kinds.ts';

/** Links to the records that refer to one that cannot be deleted. */
export function Referring({ references }: { references: readonly Reference[] }): JSX.Element {
  const kinds = useKinds();
  return (
    <ul>
      {references.map(({ type, id, name }) => (
        <li key={id}>
          {kindOf(kinds, type)?.one ?? type} <a href={addressOf([type, id])}>{name}</a>
        </li>
      ))}
    </ul>
  );
}
