import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { countText } from '../../../../shared/web/text/numbers.ts';
import { PictureBox } from '../../../../shared/web/ui/pictures/picture-box.tsx';
import type { RecordState, Target } from '../records/requests.ts';
import { say } from '../texts.ts';
import { DownloadButton } from './download-button.tsx';
import classes from './gallery.module.css';
import { usePicture } from './use-picture.ts';

type PartsProps = { target: Target; state: RecordState };

export const PictureActions = ({ target: { id }, state: { row } }: PartsProps): JSX.Element => (
  <DownloadButton id={id} name={String(row.name)} />
);

/** The picture itself, on light and dark ground, because users choose one of them. */
export function PictureParts({ target: { id }, state: { row } }: PartsProps): JSX.Element {
  const src = usePicture(id);
  const [size, setSize] = useState<string>();
  return (
    <section class={classes.card}>
      <h2>{say('gallery_grounds')}</h2>
      <div class={classes.grounds}>
        {(['light', 'dark'] as const).map((scheme) => (
          <div key={scheme} class={classes[scheme]}>
            <PictureBox
              src={src}
              alt={scheme === 'light' ? String(row.name) : ''}
              size="large"
              onSize={(width, height) =>
                setSize(say('gallery_pixels', { width: countText(width), height: countText(height) }))
              }
            />
          </div>
        ))}
      </div>
      {size !== undefined && <p class={classes.hint}>{size}</p>}
    </section>
  );
}
