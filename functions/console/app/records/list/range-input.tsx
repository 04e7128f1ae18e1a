import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Field, SelectField } from '../../../../../shared/web/ui/controls/field.tsx';
import { MomentField } from '../../../../../shared/web/ui/controls/moment-field.tsx';
import { say } from '../../texts.ts';
import type { Field as Declared } from '../kinds.ts';
import classes from './list.module.css';
import { type Bounds, choiceOf, choicesOf, isBound, isReversed, resolved } from './ranges.ts';

type RangeInputProps = { field: Declared; bounds: Bounds; onChange: (bounds: Bounds) => void };

/** A filter by a range of times or numbers. */
export const RangeInput = (props: RangeInputProps): JSX.Element =>
  props.field.type === 'time' ? <TimeRange {...props} /> : <NumberRange {...props} />;

const between = 'between';

/** A choice of ranges that are often used, and one of any two times. */
function TimeRange({ field, bounds, onChange }: RangeInputProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const choice = choiceOf(field, bounds);
  const isBetween = isOpen || (!choice && Boolean(bounds.from || bounds.to));
  const choices = choicesOf(field);
  const choose = (chosen: string) => {
    setOpen(chosen === between);
    if (chosen !== between) return onChange(choices.find(({ label }) => label === chosen) ?? {});
    // The times of the choice can then be adjusted.
    const now = Date.now();
    if (choice) onChange({ from: timeOf(bounds.from, now), to: timeOf(bounds.to, now) });
  };
  const options = choices.map(({ label }) => [label, say(label)] as [string, string]);
  return (
    <div class={isBetween ? classes.wide : undefined}>
      <SelectField<string>
        label={field.label}
        value={isBetween ? between : (choice?.label ?? '')}
        options={[['', say('any')], ...options, [between, say('range_times')]]}
        onChange={choose}
      />
      {isBetween && <TwoTimes field={field} bounds={bounds} onChange={onChange} />}
    </div>
  );
}

const timeOf = (text: string | undefined, now: number): string | undefined => text && resolved(text, now);

/** The times are those of the clock of the reader. */
const zone = () => say('range_zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone });

function TwoTimes({ field, bounds, onChange }: RangeInputProps): JSX.Element {
  const { draft, set, faults } = useDraft(field, bounds, onChange);
  const now = Date.now();
  return (
    <fieldset class={classes.range}>
      <legend class="unseen">{field.label}</legend>
      <MomentField
        label={say('range_from')}
        time={timeOf(draft.from, now)}
        onTime={(from) => set({ ...draft, from })}
        fault={faults.from}
      />
      <MomentField
        label={say('range_to')}
        time={timeOf(draft.to, now)}
        onTime={(to) => set({ ...draft, to })}
        fault={faults.to}
      />
      <small>{zone()}</small>
    </fieldset>
  );
}

function NumberRange({ field, bounds, onChange }: RangeInputProps): JSX.Element {
  const { draft, set, faults } = useDraft(field, bounds, onChange);
  const id = useId();
  const input = (end: 'from' | 'to') => (
    <Field
      id={`${id}-${end}`}
      label={say(end === 'from' ? 'range_min' : 'range_max')}
      type="text"
      inputMode="numeric"
      autoComplete="off"
      maxLength={13}
      value={draft[end] ?? ''}
      fault={faults[end]}
      onInput={({ currentTarget: { value } }) => set({ ...draft, [end]: value.trim() || undefined })}
    />
  );
  return (
    <fieldset class={classes.range}>
      <legend>{field.label}</legend>
      {input('from')}
      {input('to')}
    </fieldset>
  );
}

/** Milliseconds after the last key until the list is read. */
const pauseMs = 400;

/** Keeps what is typed, and passes it on after a pause if it is a range. */
function useDraft(field: Declared, bounds: Bounds, onChange: (bounds: Bounds) => void) {
  const [draft, set] = useState(bounds);
  const [shown, setShown] = useState(bounds);
  const { from, to } = draft;
  // In an effect this could come after the first key.
  if (shown.from !== bounds.from || shown.to !== bounds.to) {
    setShown(bounds);
    set(bounds);
  }
  const isSame = from === bounds.from && to === bounds.to;
  const faults = faultsOf(field, draft);
  const isValid = faults.from === undefined && faults.to === undefined;
  useEffect(() => {
    if (isSame || !isValid) return;
    const timer = setTimeout(() => onChange(draft), pauseMs);
    return () => clearTimeout(timer);
  }, [from, to, isSame, isValid]);
  return { draft, set, faults };
}

/** What is wrong, at the input where it is corrected. */
function faultsOf(field: Declared, { from, to }: Bounds): { from?: string; to?: string } {
  const text = say('range_not_number');
  const faults = {
    ...(!isBound(field, from) && { from: text }),
    ...(!isBound(field, to) && { to: text }),
  };
  if (Object.keys(faults).length > 0 || !isReversed(field, { from, to })) return faults;
  return { to: say(field.type === 'time' ? 'range_reversed_times' : 'range_reversed') };
}
