import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field, SelectField } from '../../../../../shared/web/ui/controls/field.tsx';
import { MomentField } from '../../../../../shared/web/ui/controls/moment-field.tsx';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import { say } from '../../texts.ts';
import type { OwnFilter } from '../extension.ts';
import { useExtension } from '../extensions.ts';
import { ReferenceInput } from '../fields/reference-input.tsx';
import type { Field as Declared, Kind } from '../kinds.ts';
import classes from './list.module.css';
import type { ListView } from './list-address.ts';
import { RangeInput } from './range-input.tsx';
import { boundsOf, changesOf, parametersOf } from './ranges.ts';
import { SetFilters } from './set-filters.tsx';

/** Milliseconds after the last key until the list is read. */
const pauseMs = 200;

type FiltersProps = {
  kind: Kind;
  view: ListView;
  /** Members of the address; undefined removes one. */
  onChange: (changes: Record<string, string | undefined>) => void;
};

/** The search, the filters that are set, and a panel with all of them. */
export function Filters({ kind, view, onChange }: FiltersProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { search, filters } = kind.list;
  const own = useExtension(kind)?.filters;
  const set = setOf(kind, view);
  return (
    <>
      <search class={classes.filters}>
        {search !== undefined && (
          <Typed value={view.search} onSettle={(text) => onChange({ search: text })}>
            {(text, setText) => <SearchField label={say('search')} text={text} onText={setText} />}
          </Typed>
        )}
        {filters.length > 0 && (
          <Button look="plain" icon="filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {say('filters', { count: set.length })}
          </Button>
        )}
      </search>
      {set.length > 0 && <SetFilters set={set} own={own} view={view} onChange={onChange} />}
      {isOpen && <Panel kind={kind} view={view} onChange={onChange} />}
    </>
  );
}

/** All filters of the list. */
function Panel({ kind, view, onChange }: FiltersProps): JSX.Element {
  const { filters } = kind.list;
  const own = useExtension(kind)?.filters;
  const set = setOf(kind, view);
  return (
    <fieldset class={classes.panel}>
      <legend class="unseen">{say('filters', { count: set.length })}</legend>
      {filters.map((field) =>
        field.range ? (
          <RangeInput
            key={field.name}
            field={field}
            bounds={boundsOf(field, view.filters)}
            onChange={(bounds) => onChange(changesOf(field, bounds))}
          />
        ) : (
          <FilterInput
            key={field.name}
            field={field}
            own={own?.[field.name]}
            value={view.filters[field.name] ?? ''}
            onChange={(value) => onChange({ [field.name]: value })}
          />
        ),
      )}
    </fieldset>
  );
}

/** The filters that have a value. */
const setOf = ({ list }: Kind, view: ListView): Declared[] =>
  list.filters.filter((field) => parametersOf(field).some((name) => view.filters[name] !== undefined));

type OneFilter = { field: Declared; own: OwnFilter | undefined; value: string };

type FilterInputProps = OneFilter & { onChange: (value: string | undefined) => void };

function FilterInput({ field, own, value, onChange }: FilterInputProps): JSX.Element {
  const { label, type, choices, reference } = field;
  if (own) return <own.Input label={label} value={value} onChange={onChange} />;
  if (type === 'reference' && reference)
    return (
      <ReferenceInput
        label={label}
        type={reference}
        ids={value === '' ? [] : [value]}
        isMany={false}
        onChange={([id]) => onChange(id)}
      />
    );
  const options = type === 'flag' ? flags() : choices?.map((choice) => [choice.value, choice.label] as const);
  if (options)
    return (
      <SelectField
        label={label}
        value={value}
        options={[['', say('any')], ...options]}
        onChange={(chosen) => onChange(chosen || undefined)}
      />
    );
  if (type === 'time') return <MomentField label={label} time={value || undefined} onTime={onChange} />;
  return (
    <Typed value={value} onSettle={(text) => onChange(text || undefined)}>
      {(text, setText) => (
        <Field
          label={label}
          type="text"
          maxLength={field.maxLength ?? 255}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
    </Typed>
  );
}

const flags = () =>
  [
    ['true', say('yes')],
    ['false', say('no')],
  ] as const;

type TypedProps = {
  value: string;
  onSettle: (text: string) => void;
  children: (text: string, setText: (text: string) => void) => JSX.Element;
};

/** Keeps what is typed, and passes it on after a pause. */
function Typed({ value, onSettle, children }: TypedProps): JSX.Element {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onSettle(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return children(text, setText);
}
