import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { portal } from '../client/session.ts';
import { PasswordChange } from '../credentials/password-change.tsx';
import { toast } from '../ui/overlays/toasts.tsx';
import classes from './account.module.css';
import { facts } from './facts.ts';
import { sessionsKey } from './sessions.tsx';
import { say } from './texts.ts';
import type { Profile } from './use-profile.ts';

/** Changes the password, and shows what that ends. The password of a directory is changed there. */
export function PasswordForm({ profile: { name, domain, has_password } }: { profile: Profile }): JSX.Element {
  const client = useQueryClient();
  if (!has_password)
    return <p class={classes.quiet}>{say('account_password_elsewhere', { domain: domain.name })}</p>;
  return (
    <PasswordChange
      login={name}
      change={async (body) => {
        await portal.call('userinfo.changePassword', { body });
      }}
      onChanged={() => {
        toast(say('account_password_changed'));
        void client.invalidateQueries({ queryKey: sessionsKey });
      }}
    >
      <p class={classes.quiet}>
        {say(facts.own_tokens ? 'account_password_effect_tokens' : 'account_password_effect')}
      </p>
    </PasswordChange>
  );
}
