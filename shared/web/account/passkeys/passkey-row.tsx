import type { JSX } from 'preact';
import { agoText, dateText } from '../../text/moments.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/feedback/feedback.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';
import type { Passkey } from './passkey.ts';

type PasskeyRowProps = { passkey: Passkey; onRename: () => void; onRemove: () => void };

export function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps): JSX.Element {
  const { name, blocked_at } = passkey;
  return (
    <li>
      <div>
        <p>
          {name} {blocked_at !== null && <Badge tone="bad">{say('passkey_blocked')}</Badge>}
        </p>
        <p class={classes.quiet}>{factsOf(passkey)}</p>
        {blocked_at !== null && <p class={classes.quiet}>{say('passkey_blocked_text')}</p>}
      </div>
      <div class={classes.buttons}>
        <Button look="plain" aria-label={say('passkey_rename_name', { name })} onClick={onRename}>
          {say('passkey_rename')}
        </Button>
        <Button look="danger" aria-label={say('passkey_remove_name', { name })} onClick={onRemove}>
          {say('passkey_remove')}
        </Button>
      </div>
    </li>
  );
}

const factsOf = ({ created_at, last_used_at, synced }: Passkey): string =>
  [
    say('passkey_since', { date: dateText(created_at) }),
    last_used_at === null ? say('token_unused') : say('token_used', { ago: agoText(last_used_at) }),
    say(synced ? 'passkey_synced' : 'passkey_one_device'),
  ].join(' · ');
