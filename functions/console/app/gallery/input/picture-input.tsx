import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { FileDrop } from '../../../../../shared/web/ui/pictures/file-drop.tsx';
import { disabledOf, type InputProps } from '../../records/form/input-props.ts';
import { say } from '../../texts.ts';
import classes from '../gallery.module.css';
import { Below, Preview, RemoveButton } from './below.tsx';
import { useFile } from './use-file.ts';

/** Most pixels of a picture of a page, such as the background of the sign-in page. */
const pageSide = 2_048;

/** A picture from a file, as a data URI. What the portal would refuse is converted, or refused at once. */
export function PictureInput(props: InputProps): JSX.Element | null {
  const { field, value, onChange, place, faults } = props;
  const { label, help } = field;
  const id = useId();
  const file = useFile(pageSide, onChange);
  // The form of a picture with fixed bytes has no use for it.
  if (disabledOf(props)) return null;
  const isSet = typeof value === 'string' && value !== '';
  const remove = () => {
    file.forget();
    onChange(null);
  };
  return (
    <fieldset class={classes.input} aria-describedby={`${id}-about`}>
      <legend>{label}</legend>
      <FileDrop
        label={label}
        button={say('gallery_choose_file')}
        onFiles={file.take}
        actions={isSet && <RemoveButton onRemove={remove} />}
      >
        {isSet && <Preview src={value} alt={say('gallery_preview', { name: label })} />}
      </FileDrop>
      <Below id={`${id}-about`} help={help} state={file.state} fault={faults.get(place)} />
    </fieldset>
  );
}
