import type { ComponentChildren, ComponentProps, JSX } from 'preact';
import { useId } from 'preact/hooks';
import classes from './controls.module.css';

type Own = {
  label: string;
  hint?: string | undefined;
  /** Why the value was refused. */
  fault?: string | undefined;
  /** Shown at the end of the field, such as a button. */
  end?: ComponentChildren;
};

type FieldProps = Own & ComponentProps<'input'>;

/** What fields for certain values, such as passwords, leave to their forms. */
export type ValueFieldProps = {
  id?: string;
  name?: string;
  /** Of a controlled field. */
  value?: string;
  onInput?: (event: { currentTarget: HTMLInputElement }) => void;
  fault?: string | undefined;
  'aria-invalid'?: boolean;
  'aria-describedby'?: string;
};

/** A text field with its label, and the reason if its value was refused. */
export function Field({ label, hint, fault, end, ...rest }: FieldProps): JSX.Element {
  const own = useId();
  const id = rest.id ?? own;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  const input = (
    <input
      {...rest}
      id={id}
      {...(described !== '' && { 'aria-describedby': described })}
      {...(fault !== undefined && { 'aria-invalid': true })}
    />
  );
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      {end === undefined ? (
        input
      ) : (
        <div class={classes.ended}>
          {input}
          {end}
        </div>
      )}
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
  id?: string;
  name?: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
};

/** A choice of few values. */
export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { label, options, onChange, ...rest } = props;
  const own = useId();
  const id = rest.id ?? own;
  const choose = (chosen: string) => {
    const option = options.find(([name]) => name === chosen);
    if (option) onChange(option[0]);
  };
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      <select {...rest} id={id} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
