import type { JSX } from 'preact';
import { Value } from '../../records/fields/value.tsx';
import type { Kind } from '../../records/kinds.ts';
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
        const field = kind?.list.filters.find((filter) => filter.name === name);
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
