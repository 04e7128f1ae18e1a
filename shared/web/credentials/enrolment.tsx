import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import classes from './credentials.module.css';

type EnrolmentProps = {
  /** `otpauth://`. */
  uri: string;
  /** In Base32. */
  secret: string;
};

/** The key of a new authenticator app, as a QR code and as text. */
export const Enrolment = ({ uri, secret }: EnrolmentProps): JSX.Element => (
  <div class={classes.enrolment}>
    <QrCode text={uri} />
    <p class={classes.quiet}>{frameText('enrol_by_hand')}</p>
    <code id="secret" class={classes.secret}>
      {secret.replace(/(.{4})(?=.)/g, '$1 ')}
    </code>
  </div>
);

type Picture = { state: 'loading' | 'failed' } | { state: 'drawn'; src: string };

/** Its library is loaded only here. The place is reserved, so that nothing moves when it appears. */
function QrCode({ text }: { text: string }): JSX.Element | null {
  const [picture, setPicture] = useState<Picture>({ state: 'loading' });
  useEffect(() => {
    pictureOf(text).then(
      (src) => setPicture({ state: 'drawn', src }),
      // The key below has the same content.
      () => setPicture({ state: 'failed' }),
    );
  }, [text]);
  if (picture.state === 'failed') return null;
  return (
    <div class={classes.picture}>
      {picture.state === 'drawn' && (
        <img src={picture.src} alt={frameText('enrol_picture')} width="192" height="192" />
      )}
    </div>
  );
}

/** A QR code with the quiet zone that readers need. */
async function pictureOf(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode-generator');
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  return `data:image/svg+xml,${encodeURIComponent(code.createSvgTag({ scalable: true, margin: 4 }))}`;
}
