import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { agoText, dateText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Badge } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import type { Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';
import type { UserAccess } from './use-access.ts';

type Passkey = UserAccess['passkeys'][number];
type PasskeysCardProps = { target: Target; access: UserAccess };

/** The passkeys of the user. Without one, there is no card. The portal refuses to revoke own ones here. */
export function PasskeysCard({
  target,
  access: { passkeys, is_self },
}: PasskeysCardProps): JSX.Element | null {
  const [asked, ask] = useState<Confirmation>();
  if (passkeys.length === 0) return null;
  const canRevoke = may(['users.update']) && !is_self;
  return (
    <section class={classes.card}>
      <h2>{say('access_passkeys_title')}</h2>
      <ul class={classes.list}>
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <PasskeyFacts passkey={passkey} />
            {canRevoke && (
              <Button
                look="plain"
                aria-label={say('access_token_revoke_name', { name: passkey.name })}
                onClick={() => ask(revoking(target.id, passkey))}
              >
                {say('access_token_revoke')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </section>
  );
}

const PasskeyFacts = ({ passkey }: { passkey: Passkey }): JSX.Element => (
  <div>
    <p>
      {passkey.name}{' '}
      {passkey.blocked_at !== null && <Badge tone="bad">{say('access_passkey_blocked')}</Badge>}
    </p>
    <p class={classes.quiet}>{factsOf(passkey)}</p>
    {passkey.blocked_at !== null && (
      <p class={classes.quiet}>
        {say('access_passkey_blocked_text', { date: dateText(passkey.blocked_at) })}
      </p>
    )}
  </div>
);

const factsOf = ({ created_at, last_used_at, synced }: Passkey): string =>
  [
    say('access_passkey_since', { date: dateText(created_at) }),
    last_used_at === null
      ? say('access_passkey_unused')
      : say('access_passkey_used', { ago: agoText(last_used_at) }),
    say(synced ? 'access_passkey_synced' : 'access_passkey_one_device'),
  ].join(' · ');

const revoking = (id: string, { id: passkey_id, name }: Passkey): Confirmation => ({
  title: say('access_passkey_revoke_title', { name }),
  text: say('access_passkey_revoke_text'),
  label: say('access_token_revoke'),
  sending: {
    method: 'DELETE',
    path: filledPath('/api/webui/aggregator/users/{id}/passkeys/{passkey_id}', { id, passkey_id }),
  },
  done: say('access_passkey_revoked', { name }),
  changes: ['user', 'portalUser'],
  isDangerous: true,
});
