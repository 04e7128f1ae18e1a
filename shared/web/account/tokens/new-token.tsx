import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';

/** A token that is shown this time only. It is not in a dialog, which a click beside it would close. */
export function NewToken({ token, onDone }: { token: string; onDone: () => void }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [isCopied, setCopied] = useState(false);
  const field = () => place.current?.querySelector('input');
  useEffect(() => field()?.select(), []);
  const copy = async (): Promise<void> => {
    field()?.select();
    // Without the permission for the clipboard the selected text can still be copied by hand.
    await navigator.clipboard.writeText(token).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div class={classes.form} ref={place}>
      <Notice tone="warn" title={say('token_save_title')}>
        {say('token_save_text')}
      </Notice>
      <Field label={say('token')} value={token} readOnly={true} spellcheck={false} autocomplete="off" />
      <div class={classes.buttons}>
        <Button onClick={copy}>{say('token_copy')}</Button>
        <Button look="plain" onClick={onDone}>
          {say('token_saved')}
        </Button>
      </div>
      <p role="status" class={classes.quiet}>
        {isCopied && say('token_copied')}
      </p>
    </div>
  );
}
