import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { frameText } from '../../text/texts.ts';
import { IconButton } from './button.tsx';
import classes from './combobox.module.css';
import { Below, describedBy } from './field.tsx';

export type Option = { id: string; name: string; within?: string };

type ComboboxProps = {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  isRequired?: boolean;
  disabled?: boolean;
  /** The chosen options, with their names. */
  chosen: readonly Option[];
  /** Several options can be chosen. */
  isMany: boolean;
  onChange: (ids: string[]) => void;
  /** Options whose names contain a text. */
  find: (text: string, signal: AbortSignal) => Promise<Option[]>;
};

/** Milliseconds after the last key until options are searched. */
const pauseMs = 150;

/** A choice among many options, which are searched while the user types (pattern "editable combobox" of ARIA). */
export function Combobox(props: ComboboxProps): JSX.Element {
  const { label, hint, fault, isRequired, disabled, chosen, isMany, onChange } = props;
  const id = useId();
  const state = useOptions(props);
  const choose = (option: Option) => {
    onChange(isMany ? [...chosen.map((one) => one.id), option.id] : [option.id]);
    state.close();
  };
  const remove = (gone: string) => onChange(chosen.map((one) => one.id).filter((one) => one !== gone));
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      {chosen.length > 0 && <Chosen chosen={chosen} disabled={disabled} onRemove={remove} />}
      {(isMany || chosen.length === 0) && (
        <div class={classes.place}>
          <input
            id={id}
            role="combobox"
            autocomplete="off"
            aria-expanded={state.isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            {...(state.isOpen && state.active && { 'aria-activedescendant': `${id}-${state.active.id}` })}
            {...describedBy(id, hint, fault)}
            required={isRequired}
            disabled={disabled}
            value={state.text}
            onInput={({ currentTarget }) => state.type(currentTarget.value)}
            onClick={() => state.type(state.text)}
            onBlur={state.close}
            onKeyDown={(event) => onKey(event, state, choose)}
          />
          {state.isOpen && <List id={id} label={label} state={state} onChoose={choose} />}
        </div>
      )}
      <Below id={id} hint={hint} fault={fault} />
    </div>
  );
}

type State = ReturnType<typeof useOptions>;

/** The options for what is typed, and which of them the arrow keys have reached. */
function useOptions({ find, chosen }: ComboboxProps) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<Option[] | 'failed'>();
  const [at, setAt] = useState(0);
  useEffect(() => (isOpen ? search(find, text, setFound) : undefined), [text, isOpen]);
  const options = Array.isArray(found)
    ? found.filter((option) => !chosen.some((one) => one.id === option.id))
    : undefined;
  return {
    text,
    isOpen,
    options,
    hasFailed: found === 'failed',
    active: options?.[Math.min(at, options.length - 1)],
    type: (typed: string) => {
      setText(typed);
      setAt(0);
      setOpen(true);
    },
    move: (step: number) => {
      setOpen(true);
      setAt((old) => Math.max(0, Math.min((options?.length ?? 1) - 1, old + step)));
    },
    close: () => {
      setOpen(false);
      setText('');
      setFound(undefined);
    },
  };
}

/** Searches after a pause. @returns ends the search */
function search(find: ComboboxProps['find'], text: string, onFound: (found: Option[] | 'failed') => void) {
  const control = new AbortController();
  const timer = setTimeout(() => {
    find(text, control.signal).then(
      (options) => !control.signal.aborted && onFound(options),
      () => !control.signal.aborted && onFound('failed'),
    );
  }, pauseMs);
  return () => {
    clearTimeout(timer);
    control.abort();
  };
}

function onKey(event: KeyboardEvent, state: State, choose: (option: Option) => void): void {
  if (event.key === 'ArrowDown') state.move(state.isOpen ? 1 : 0);
  else if (event.key === 'ArrowUp') state.move(-1);
  else if (event.key === 'Enter' && state.isOpen) {
    if (state.active) choose(state.active);
  } else if (event.key === 'Escape' && state.isOpen) {
    state.close();
    // The dialog around stays open.
    event.stopPropagation();
  } else return;
  event.preventDefault();
}

type ListProps = { id: string; label: string; state: State; onChoose: (option: Option) => void };

const List = ({ id, label, state, onChoose }: ListProps): JSX.Element => (
  <div class={classes.panel}>
    <div id={`${id}-list`} role="listbox" aria-label={label}>
      {state.options?.map((option) => (
        // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the input
        <div
          key={option.id}
          id={`${id}-${option.id}`}
          role="option"
          class={classes.option}
          aria-selected={option === state.active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          <span>{option.name}</span>
          {option.within !== undefined && <span class={classes.within}>{option.within}</span>}
        </div>
      ))}
    </div>
    <p class={classes.state} role="status">
      {stateText(state)}
    </p>
  </div>
);

function stateText({ options, hasFailed }: State): string {
  if (hasFailed) return frameText('unreachable');
  if (options === undefined) return frameText('searching');
  return options.length === 0 ? frameText('nothing_found') : '';
}

type ChosenProps = {
  chosen: readonly Option[];
  disabled: boolean | undefined;
  onRemove: (id: string) => void;
};

const Chosen = ({ chosen, disabled = false, onRemove }: ChosenProps): JSX.Element => (
  <ul class={classes.chosen}>
    {chosen.map(({ id, name, within }) => (
      <li key={id}>
        <span title={within}>{name}</span>
        {!disabled && (
          <IconButton icon="close" label={frameText('remove', { name })} onClick={() => onRemove(id)} />
        )}
      </li>
    ))}
  </ul>
);
