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

type FieldProps = Own & ComponentProps<'input'> & { id?: string };

/** What fields for certain values, such as passwords, leave to their forms. */
export type ValueFieldProps = {
  hint?: string | undefined;
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
  const input = <input {...rest} id={id} {...describedBy(id, hint, fault)} />;
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
      <Below id={id} hint={hint} fault={fault} />
    </div>
  );
}

type Texts = { id: string; hint: string | undefined; fault: string | undefined };

/** What is said below a field: how it is filled in, and why its value was refused. */
export const Below = ({ id, hint, fault }: Texts): JSX.Element => (
  <>
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
  </>
);

/** The attributes with which screen readers read the texts below a field. */
export function describedBy(id: string, hint: string | undefined, fault: string | undefined) {
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return {
    ...(described !== '' && { 'aria-describedby': described }),
    ...(fault !== undefined && { 'aria-invalid': true as const }),
  };
}

type SelectProps<Value extends string> = {
  label: string;
  id?: string;
  name?: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
  hint?: string | undefined;
  fault?: string | undefined;
  disabled?: boolean;
};

/** A choice of few values. */
export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { label, options, onChange, hint, fault, ...rest } = props;
  const own = useId();
  const id = rest.id ?? own;
  const choose = (chosen: string) => {
    const option = options.find(([name]) => name === chosen);
    if (option) onChange(option[0]);
  };
  return (
    <div class={classes.field}>
      <label for={id}>{label}</label>
      <select
        {...rest}
        id={id}
        {...describedBy(id, hint, fault)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      <Below id={id} hint={hint} fault={fault} />
    </div>
  );
}
