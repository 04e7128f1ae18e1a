import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { sizeText } from '../../../../../shared/web/text/numbers.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { say } from '../../texts.ts';
import classes from './theme.module.css';

/** Limits of the portal. */
const mostBytes = 262_144;
const types = ['image/png', 'image/webp', 'image/svg+xml'];

/** A picture from a file. It is checked before it is sent; the portal sanitises it. */
export function PictureInput({ field, value, onChange, place, faults }: InputProps): JSX.Element {
  const id = useId();
  const [refusal, setRefusal] = useState<string>();
  const fault = refusal ?? faults.get(place);
  const isSet = typeof value === 'string' && value !== '';
  const take = async (file: File | undefined) => {
    if (!file) return;
    const reason = refusalOf(file);
    setRefusal(reason);
    if (reason === undefined) onChange(await dataUriOf(file));
  };
  return (
    <div class={classes.picture}>
      <label for={id}>{field.label}</label>
      <div class={classes.file}>
        {isSet && <img src={value} alt="" />}
        <input
          id={id}
          type="file"
          accept={types.join()}
          aria-describedby={`${id}-about`}
          {...(fault !== undefined && { 'aria-invalid': true as const })}
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
        {isSet && (
          <Button look="quiet" icon="close" onClick={() => onChange(null)}>
            {say('theme_remove_picture')}
          </Button>
        )}
      </div>
      <span id={`${id}-about`}>
        <span class={classes.hint}>
          {field.help} {say('theme_picture_limits')}
        </span>
        {fault !== undefined && <span class={classes.fault}>{fault}</span>}
      </span>
    </div>
  );
}

function refusalOf({ type, size }: File): string | undefined {
  if (!types.includes(type)) return say('theme_picture_type');
  return size > mostBytes ? say('theme_picture_size', { size: sizeText(size) }) : undefined;
}

const dataUriOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
