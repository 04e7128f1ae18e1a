import type { JSX } from 'preact';
import { PictureBox } from '../../../../shared/web/ui/pictures/picture-box.tsx';
import { kindOf, useKinds } from '../records/kinds.ts';
import { useNames } from '../records/references.ts';
import { addressOf } from '../router/place.ts';
import { say } from '../texts.ts';
import classes from './gallery.module.css';
import { usePicture } from './use-picture.ts';

type PictureValueProps = { ids: readonly string[]; isShort: boolean };

/** A picture that a record refers to, with its name in the gallery if it is there. */
export function PictureValue({ ids, isShort }: PictureValueProps): JSX.Element {
  const [id = ''] = ids;
  const names = useNames('picture', [id]);
  const kind = kindOf(useKinds(), 'picture');
  const name = names.of(id)?.name;
  const src = usePicture(id);
  return (
    <span class={classes.value}>
      <PictureBox src={src} size={isShort ? 'small' : 'medium'} alt={name ?? say('gallery_own_picture')} />
      {name !== undefined && (kind ? <a href={addressOf(['picture', id])}>{name}</a> : name)}
    </span>
  );
}
