import type { JSX } from 'preact';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { PictureBox } from '../../../../../shared/web/ui/pictures/picture-box.tsx';
import { say } from '../../texts.ts';
import classes from '../gallery.module.css';
import type { FileState } from './use-file.ts';

type BelowProps = { id: string; help: string | undefined; state: FileState; fault: string | undefined };

/** What an input for pictures says: its meaning, what happened to the file, and why it was refused. */
export function Below({ id, help, state: { note, ...state }, fault = state.fault }: BelowProps): JSX.Element {
  return (
    <span id={id}>
      <span class={classes.hint}>
        {help} {say('gallery_limits')}
      </span>
      <span role="status">
        {note !== undefined && fault === undefined && <span class={classes.note}>{note}</span>}
        {fault !== undefined && <span class={classes.fault}>{fault}</span>}
      </span>
    </span>
  );
}

export const RemoveButton = ({ onRemove }: { onRemove: () => void }): JSX.Element => (
  <Button look="quiet" icon="close" onClick={onRemove}>
    {say('gallery_remove')}
  </Button>
);

type PreviewProps = { src: string | undefined; alt: string; name?: string | undefined };

/** The picture that a record would have. */
export const Preview = ({ src, alt, name }: PreviewProps): JSX.Element => (
  <span class={classes.shown}>
    <PictureBox src={src} alt={alt} />
    {name}
  </span>
);
