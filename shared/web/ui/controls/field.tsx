import type { ComponentProps, JSX } from 'preact';
import { useId } from 'preact/hooks';
import classes from './controls.module.css';

type Own = {
  label: string;
  hint?: string | undefined;
  /** Why the value was refused. */
  fault?: string | undefined;
};

/** A text field with its label, and the reason if its value was refused. */
export function Field({ label, hint, fault, ...rest }: Own & ComponentProps<'input'>): JSX.Element {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        {...(described !== '' && { 'aria-describedby': described })}
        {...(fault !== undefined && { 'aria-invalid': true })}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} class={classes.hint}>
          {hint}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} class={classes.fault}>
          {fault}
        </span>
      )}
    </div>
  );
}

type SelectProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
};

/** A choice of few values. */
export function SelectField<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  const id = useId();
  const choose = (chosen: string) => {
    const option = options.find(([name]) => name === chosen);
    if (option) onChange(option[0]);
  };
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
