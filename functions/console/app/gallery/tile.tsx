import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sizeText } from '../../../../shared/web/text/numbers.ts';
import { IconButton } from '../../../../shared/web/ui/controls/button.tsx';
import { Menu } from '../../../../shared/web/ui/overlays/menu.tsx';
import { PictureBox } from '../../../../shared/web/ui/pictures/picture-box.tsx';
import { choiceText } from '../records/fields/value.tsx';
import { allowed, fieldOf, type Kind, kindOf, type Row, useKinds } from '../records/kinds.ts';
import { DeleteDialog } from '../records/record/delete-dialog.tsx';
import { addressOf } from '../router/place.ts';
import { say } from '../texts.ts';
import { DownloadButton } from './download-button.tsx';
import classes from './gallery.module.css';
import { usePicture } from './use-picture.ts';
import { useSeen } from './use-seen.ts';

type TileProps = { kind: Kind; row: Row };

/** A picture with its name, its size, and the rules that show it. */
export function Tile({ kind, row }: TileProps): JSX.Element {
  const id = String(row.id);
  const name = String(row.name);
  const [place, isSeen] = useSeen<HTMLLIElement>();
  const src = usePicture(isSeen ? id : undefined);
  const format = fieldOf(kind, 'media_type');
  return (
    <li ref={place} class={classes.tile}>
      <PictureBox src={src} size="large" />
      <div class={classes.title}>
        <a class={classes.name} href={addressOf(['picture', id])}>
          {name}
        </a>
        <Actions kind={kind} row={row} />
      </div>
      <p class={classes.hint}>
        {format && choiceText(format, row.media_type)}, {sizeText(Number(row.bytes))}
      </p>
      <p class={classes.hint}>
        <Uses id={id} count={Number(row.rules_count)} />
      </p>
    </li>
  );
}

function Uses({ id, count }: { id: string; count: number }): JSX.Element {
  const rules = kindOf(useKinds(), 'rule');
  const text = say('gallery_uses', { count });
  return rules && count > 0 ? (
    <a href={addressOf(['rule'], { image_id: id })}>{text}</a>
  ) : (
    <span>{text}</span>
  );
}

function Actions({ kind, row }: TileProps): JSX.Element {
  const id = String(row.id);
  const name = String(row.name);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Menu
        trigger={(attributes) => (
          <IconButton icon="more" label={say('gallery_actions', { name })} {...attributes} />
        )}
      >
        {allowed(kind.update) && <a href={addressOf(['picture', id, 'edit'])}>{kind.update?.label}</a>}
        <DownloadButton id={id} name={name} />
        {allowed(kind.delete) && (
          <button type="button" onClick={() => setDeleting(true)}>
            {kind.delete?.label}
          </button>
        )}
      </Menu>
      {isDeleting && (
        <DeleteDialog
          target={{ kind, parents: {}, id }}
          state={{ row, etag: undefined }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}
