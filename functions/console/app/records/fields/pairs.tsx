import type { ComponentChildren, JSX } from 'preact';
import { humanized } from '../../../../../shared/client/catalogue/words.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { say } from '../../texts.ts';
import classes from './fields.module.css';

/** Levels of objects within objects that are shown as pairs. */
const mostLevels = 3;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values without a declaration: members of objects as pairs of a name and a value, arrays as lists. */
export function Pairs({ value, level = 0 }: { value: unknown; level?: number }): JSX.Element {
  if (level > mostLevels) return <code class={classes.json}>{JSON.stringify(value, null, 1)}</code>;
  if (Array.isArray(value)) return <Listed values={value} level={level} />;
  if (!isObject(value)) return <>{plainText(value)}</>;
  // The database keeps no order of the members.
  const members = Object.entries(value)
    .map(([name, inner]) => ({ label: humanized(name), inner }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <dl class={classes.parts}>
      {members.map(({ label, inner }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {isEmpty(inner) ? (
              <span class={classes.nothing}>–</span>
            ) : (
              <Pairs value={inner} level={level + 1} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const Listed = ({ values, level }: { values: readonly unknown[]; level: number }): JSX.Element => (
  <ul class={`${classes.many} ${values.some(isObject) ? classes.blocks : ''}`}>
    {values.map((value, at) => (
      <li key={at}>
        <Pairs value={value} level={level + 1} />
      </li>
    ))}
  </ul>
);

function plainText(value: unknown): ComponentChildren {
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  return typeof value === 'number' ? countText(value) : String(value);
}

/** True for null, empty texts, empty arrays and objects without members. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
