import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
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
  const [keeps, setKeeps] = useState(false);
  if (!has_password)
    return <p class={classes.quiet}>{say('account_password_elsewhere', { domain: domain.name })}</p>;
  return (
    <PasswordChange
      login={name}
      change={async (body) => {
        await portal.call('userinfo.changePassword', {
          body: { ...body, ...(keeps && { keeps_service_tokens: true }) },
        });
      }}
      onChanged={() => {
        toast(say('account_password_changed'));
        void client.invalidateQueries({ queryKey: sessionsKey });
      }}
    >
      <p class={classes.quiet}>
        {say(facts.own_tokens ? 'account_password_effect_tokens' : 'account_password_effect')}
      </p>
      {facts.own_tokens && (
        <label class={classes.choice}>
          <input
            type="checkbox"
            checked={keeps}
            onChange={({ currentTarget }) => setKeeps(currentTarget.checked)}
          />
          {say('account_password_keep_tokens')}
        </label>
      )}
    </PasswordChange>
  );
}
