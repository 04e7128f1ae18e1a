import type { JSX } from 'preact';
import { localText, momentsAt, offsetText } from '../../text/local-moments.ts';
import { Field } from './field.tsx';

type MomentFieldProps = {
  label: string;
  /** RFC 3339, or a typed local time that is no moment; undefined without either. */
  time: string | undefined;
  onTime: (time: string | undefined) => void;
  hint?: string | undefined;
  fault?: string | undefined;
  disabled?: boolean;
  required?: boolean;
};

/**
 * A moment, typed in the local time of the browser, whose zone and offset are shown. A time that is no moment, such as one in a
 * year of five digits, is kept as it was typed, for the portal to name its fault.
 */
export function MomentField({ time, onTime, hint, ...rest }: MomentFieldProps): JSX.Element {
  const local = time === undefined ? '' : localText(time);
  const moments = momentsAt(local);
  return (
    <Field
      {...rest}
      type="datetime-local"
      value={local}
      hint={
        [hint, time !== undefined && moments.length > 0 && zoneOf(time)].filter(Boolean).join(' ') ||
        undefined
      }
      onInput={({ currentTarget: { value } }) =>
        onTime(value === '' ? undefined : (momentsAt(value)[0] ?? skipped(value)))
      }
      end={
        moments.length < 2 ? undefined : (
          <select
            aria-label={`${rest.label}: UTC`}
            value={time}
            disabled={rest.disabled}
            onChange={({ currentTarget: { value } }) => onTime(value)}
          >
            {moments.map((moment) => (
              <option key={moment} value={moment}>
                {offsetText(moment)}
              </option>
            ))}
          </select>
        )
      }
    />
  );
}

const zoneOf = (time: string): string =>
  `${Intl.DateTimeFormat().resolvedOptions().timeZone}, ${offsetText(time)}.`;

/** A local time that clocks skip is moved to the next one, as browsers do. Other texts stay. */
function skipped(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}
