import type { JSX } from 'preact';
import { portal } from '../../../../shared/web/client/session.ts';
import { PasswordChange } from '../../../../shared/web/credentials/password-change.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import classes from './account.module.css';

/** Changes the password, and shows what that ends. */
export const PasswordForm = (): JSX.Element => (
  <PasswordChange
    login={facts.user.login}
    change={async (body) => {
      await portal.call('userinfo.changePassword', { body });
    }}
    onChanged={() => toast(say('password_changed'))}
  >
    <p class={classes.quiet}>{say(facts.own_tokens ? 'password_effect_tokens' : 'password_effect')}</p>
  </PasswordChange>
);
