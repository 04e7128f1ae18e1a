import type { JSX } from 'preact';
import { say } from '../../texts.ts';
import type { Kind } from '../kinds.ts';
import type { Effect } from '../requests.ts';
import { Changes } from './changes.tsx';

/** What a write would change. */
export function EffectOf({ kind, effect: { events } }: { kind: Kind; effect: Effect }): JSX.Element {
  const changes = events.flatMap((event) => (event.object_type === kind.type ? event.changes : []));
  const others = events.filter((event) => event.object_type !== kind.type);
  return (
    <div>
      {changes.length === 0 ? <p>{say('no_effect')}</p> : <Changes kind={kind} changes={changes} />}
      {others.length > 0 && (
        <ul>
          {others.map(({ object_type, object_name, action }) => (
            <li key={`${object_type} ${object_name} ${action}`}>
              {say('also_affects', { name: object_name ?? object_type ?? '' })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
