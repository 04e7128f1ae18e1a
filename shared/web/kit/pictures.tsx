import type { JSX } from 'preact';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { FileDrop } from '../ui/pictures/file-drop.tsx';
import { PictureBox } from '../ui/pictures/picture-box.tsx';
import { Row, Section } from './section.tsx';

const sample = `data:image/svg+xml;base64,${btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><circle cx="32" cy="32" r="28" fill="#0d9488"/></svg>',
)}`;

const sizes = ['small', 'medium', 'large'] as const;

/** Pictures, and the place for new ones. */
export const Pictures = (): JSX.Element => (
  <>
    <Section name="PictureBox">
      <Row>
        {[sample, undefined].flatMap((src) =>
          sizes.map((size) => <PictureBox key={`${size} ${src}`} src={src} size={size} />),
        )}
      </Row>
    </Section>
    <Section name="FileDrop">
      <FileDrop
        label={frameText('code')}
        button={frameText('copy')}
        onFiles={() => undefined}
        actions={
          <Button look="quiet" icon="close">
            {frameText('close')}
          </Button>
        }
      >
        <PictureBox src={sample} />
      </FileDrop>
    </Section>
  </>
);
