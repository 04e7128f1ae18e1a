import type { JSX } from 'preact';
import { Field } from './field.tsx';

type MomentFieldProps = {
  label: string;
  /** RFC 3339; undefined without a moment. */
  time: string | undefined;
  onTime: (time: string | undefined) => void;
  hint?: string | undefined;
  fault?: string | undefined;
  disabled?: boolean;
  required?: boolean;
};

/** A moment, typed in the local time of the browser. */
export const MomentField = ({ time, onTime, ...rest }: MomentFieldProps): JSX.Element => (
  <Field
    {...rest}
    type="datetime-local"
    value={time === undefined ? '' : localText(time)}
    onInput={({ currentTarget: { value } }) =>
      onTime(value === '' ? undefined : new Date(value).toISOString())
    }
  />
);

function localText(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
