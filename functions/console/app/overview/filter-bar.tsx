import type { JSX } from 'preact';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../shared/web/ui/controls/search-field.tsx';
import { say } from '../texts.ts';
import type { Filter } from './fleet.ts';
import classes from './overview.module.css';

type FilterBarProps = { filter: Filter; onFilter: (filter: Filter) => void };

/** The sites that are shown. */
export const FilterBar = ({ filter, onFilter }: FilterBarProps): JSX.Element => (
  <search class={classes.filter}>
    <SearchField label={say('filter')} text={filter.text} onText={(text) => onFilter({ ...filter, text })} />
    <Button
      look="plain"
      aria-pressed={filter.onlyFailing}
      onClick={() => onFilter({ ...filter, onlyFailing: !filter.onlyFailing })}
    >
      {say('only_failing')}
    </Button>
  </search>
);
