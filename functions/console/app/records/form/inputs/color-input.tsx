import type { JSX } from 'preact';
import { Field } from '../../../../../../shared/web/ui/controls/field.tsx';
import { say } from '../../../texts.ts';
import classes from '../form.module.css';
import type { InputProps } from '../input-props.ts';

export const isColor = (value: unknown): value is string =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);

/** A colour, chosen or typed as `#rrggbb`. */
export function ColorInput({ field, value, onChange, place, faults }: InputProps): JSX.Element {
  const text = typeof value === 'string' ? value : '';
  return (
    <div class={classes.color}>
      <input
        type="color"
        aria-label={say('choose_color', { name: field.label })}
        value={isColor(text) ? text.toLowerCase() : '#000000'}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Field
        label={field.label}
        hint={field.help}
        fault={faults.get(place)}
        type="text"
        maxLength={7}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
