import type { ComponentChildren, JSX } from 'preact';
import { problemOf } from '../problems/problem.ts';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { Skeleton } from '../ui/feedback/feedback.tsx';
import classes from './account.module.css';
import { Appearance } from './appearance.tsx';
import { facts } from './facts.ts';
import { offersPasskeys } from './passkeys/passkey.ts';
import { Passkeys } from './passkeys/passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileList } from './profile-list.tsx';
import { Sessions } from './sessions.tsx';
import { say } from './texts.ts';
import { Tokens } from './tokens/tokens.tsx';
import { TwoFactor } from './two-factor.tsx';
import { type Profile, useProfile } from './use-profile.ts';

/** Profile, language, colours, sessions, password, second factor, passkeys and service tokens of the user. */
export function AccountParts(): JSX.Element {
  const { data: profile, error } = useProfile();
  const problem = error && !profile ? <ProblemNotice problem={problemOf(error)} /> : undefined;
  const parts = partsOf(profile);
  return (
    <div class={classes.parts}>
      <div class={classes.column}>
        {problem ?? <Part title={say('account_profile')}>{parts.profile}</Part>}
        <Part title={say('account_appearance')}>
          <Appearance />
        </Part>
        <Part title={say('account_sessions')}>
          <Sessions />
        </Part>
      </div>
      <div class={classes.column}>
        {!problem && <Part title={say('account_password')}>{parts.password}</Part>}
        {!problem && <Part title={say('two_factor')}>{parts.twoFactor}</Part>}
        {profile?.has_password && offersPasskeys() && (
          <Part title={say('passkeys')}>
            <Passkeys profile={profile} />
          </Part>
        )}
        {facts.own_tokens && <Part title={say('account_tokens')}>{parts.tokens}</Part>}
      </div>
    </div>
  );
}

/** What depends on the profile, or the places of it while the profile is read. */
const partsOf = (
  profile: Profile | undefined,
): Record<'profile' | 'password' | 'twoFactor' | 'tokens', JSX.Element> =>
  profile
    ? {
        profile: <ProfileList profile={profile} />,
        password: <PasswordForm profile={profile} />,
        twoFactor: <TwoFactor profile={profile} />,
        tokens: <Tokens profile={profile} />,
      }
    : {
        profile: <Skeleton height="10rem" />,
        password: <Skeleton height="17rem" />,
        twoFactor: <Skeleton height="13rem" />,
        tokens: <Skeleton height="10rem" />,
      };

const Part = ({ title, children }: { title: string; children: ComponentChildren }): JSX.Element => (
  <section class={classes.part}>
    <h2>{title}</h2>
    {children}
  </section>
);
