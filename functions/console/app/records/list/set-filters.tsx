import type { JSX } from 'preact';
import { IconButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { say } from '../../texts.ts';
import type { Extension } from '../extension.ts';
import { Value } from '../fields/value.tsx';
import type { Field } from '../kinds.ts';
import classes from './list.module.css';
import type { ListView } from './list-address.ts';
import { boundsOf, parametersOf, rangeText } from './ranges.ts';

type SetFiltersProps = {
  /** The filters that have a value. */
  set: readonly Field[];
  own: Extension['filters'];
  view: ListView;
  onChange: (changes: Record<string, string | undefined>) => void;
};

/** The filters that are set, each with a button that removes it. */
export const SetFilters = ({ set, own, view, onChange }: SetFiltersProps): JSX.Element => (
  <ul class={classes.set} aria-label={say('set_filters')}>
    {set.map((field) => (
      <li key={field.name}>
        <span>
          {field.label}: <FilterValue field={field} own={own} view={view} />
        </span>
        <IconButton
          icon="close"
          label={say('remove_filter', { name: field.label })}
          onClick={() => onChange(Object.fromEntries(parametersOf(field).map((name) => [name, undefined])))}
        />
      </li>
    ))}
  </ul>
);

type FilterValueProps = Pick<SetFiltersProps, 'own' | 'view'> & { field: Field };

function FilterValue({ field, own, view: { filters } }: FilterValueProps): JSX.Element {
  if (field.range) return <>{rangeText(field, boundsOf(field, filters))}</>;
  const Own = own?.[field.name]?.Value;
  const value = filters[field.name] ?? '';
  return Own ? <Own value={value} /> : <Value field={field} value={value} />;
}
