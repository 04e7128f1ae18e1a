import type { JSX } from 'preact';
import { Value } from '../../records/fields/value.tsx';
import type { Field, Kind } from '../../records/kinds.ts';
import { boundsOf, parametersOf, rangeText } from '../../records/list/ranges.ts';
import { say } from '../../texts.ts';
import classes from './exports.module.css';

type FilterListProps = { kind: Kind | undefined; filters: Readonly<Record<string, unknown>> };

/** The filters of a file in words. */
export function FilterList({ kind, filters }: FilterListProps): JSX.Element {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return <p class={classes.quiet}>{say('export_all_rows')}</p>;
  return (
    <ul class={classes.filters} aria-label={say('set_filters')}>
      {given.map(([name, value]) => {
        const field = kind?.list.filters.find((filter) => parametersOf(filter).includes(name));
        if (field?.range) return <RangeOf key={name} field={field} name={name} filters={filters} />;
        const label = name === 'search' ? say('search') : (field?.label ?? name);
        return (
          <li key={name}>
            {label}: {field ? <Value field={field} value={value} /> : String(value)}
          </li>
        );
      })}
    </ul>
  );
}

type RangeOfProps = { field: Field; name: string; filters: FilterListProps['filters'] };

/** Both bounds of a range are one entry, in the place of the first one. */
function RangeOf({ field, name, filters }: RangeOfProps): JSX.Element | null {
  const texts = Object.fromEntries(
    Object.entries(filters).map(([one, value]) => [one, value === undefined ? undefined : String(value)]),
  );
  const [first] = Object.keys(filters).filter((one) => parametersOf(field).includes(one) && texts[one]);
  if (name !== first) return null;
  return (
    <li>
      {field.label}: {rangeText(field, boundsOf(field, texts))}
    </li>
  );
}
