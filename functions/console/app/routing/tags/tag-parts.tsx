import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { kindOf, useKinds } from '../../records/kinds.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './tags.module.css';

const types = ['authenticator', 'portal', 'servicespool', 'workplace'];

/** On the page of a tag: the lists of the objects that have it, and how it is added to objects. */
export function TagParts({ state: { row } }: { target: Target; state: RecordState }): JSX.Element {
  const title = useId();
  const kinds = useKinds();
  const tag = String(row.name);
  return (
    <section class={classes.part} aria-labelledby={title}>
      <h2 id={title}>{say('tag_objects')}</h2>
      <ul>
        {types.flatMap((type) => {
          const kind = kindOf(kinds, type);
          return kind
            ? [
                <li key={type}>
                  <a href={addressOf([type], { tag })}>{say('tag_with', { many: kind.many, tag })}</a>
                </li>,
              ]
            : [];
        })}
      </ul>
      <p class={classes.quiet}>{say('tag_how')}</p>
    </section>
  );
}
