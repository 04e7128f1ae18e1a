import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import classes from './credentials.module.css';

type RecoveryCodesProps = { codes: readonly string[]; busy?: boolean; onDone: () => void };

/** Recovery codes, which are shown this time only, to be copied or saved. */
export function RecoveryCodes({ codes, busy = false, onDone }: RecoveryCodesProps): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(codes.join('\n')).then(
      () => setCopied(true),
      // Without the permission for the clipboard the codes can still be selected.
      () => undefined,
    );
  return (
    <div class={classes.recovery}>
      <ol class={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div class={classes.pair}>
        <Button look="plain" icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {frameText(isCopied ? 'copied' : 'copy')}
        </Button>
        <Button look="plain" icon="save" onClick={() => save(codes)}>
          {frameText('save_to_file')}
        </Button>
      </div>
      <Button busy={busy} onClick={onDone}>
        {frameText('recovery_saved')}
      </Button>
      <p class="unseen" role="status">
        {isCopied && frameText('copied')}
      </p>
    </div>
  );
}

/** Downloads the codes as a text file, one in a line. */
function save(codes: readonly string[]): void {
  const href = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href, download: 'recovery-codes.txt' }).click();
  // Some browsers read the address after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
