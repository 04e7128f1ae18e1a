import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../client/portal-client.ts';
import { CodeField, codeIn } from '../credentials/code-field.tsx';
import { PasswordField } from '../credentials/password-field.tsx';
import { Button } from '../ui/controls/button.tsx';
import classes from './account.module.css';
import { say } from './texts.ts';
import type { Profile } from './use-profile.ts';

/** The proof that the user is present. */
export type OwnerProof = Operations['userinfo.createServiceToken']['asks']['body']['proof'];

/** The portal cannot check a password of the user. */
export const isElsewhere = ({ domain: { flow } }: Pick<Profile, 'domain'>): boolean => flow === 'redirect';

/** Fields for the proof, and what they contain. */
export function useOwnerProof(profile: Profile): { fields: JSX.Element; proof: () => OwnerProof } {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  if (isElsewhere(profile))
    return { fields: <AtProvider profile={profile} />, proof: () => ({ fresh_sign_in: true }) };
  const fields = (
    <>
      <CurrentPassword value={password} onValue={setPassword} />
      {profile.two_factor.enrolled && (
        <CodeField
          value={code}
          hint={say('passkey_code_hint')}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
      )}
    </>
  );
  return { fields, proof: () => ({ password, ...(codeIn(code) !== '' && { code: codeIn(code) }) }) };
}

/** The identity provider asks the user again, and the browser comes back to this page. */
export function AtProvider({ profile: { domain } }: { profile: Profile }): JSX.Element {
  const signInAgain = () => {
    const query = new URLSearchParams({ fresh: 'true', next: location.pathname + location.hash });
    location.assign(`/api/auth/v7.0/oidc/${domain.uuid}/start?${query}`);
  };
  return (
    <>
      <p class={classes.quiet}>{say('fresh_sign_in_text', { domain: domain.name })}</p>
      <div>
        <Button look="plain" onClick={signInAgain}>
          {say('fresh_sign_in')}
        </Button>
      </div>
    </>
  );
}

type ValueProps = { value: string; onValue: (value: string) => void };

export const CurrentPassword = ({ value, onValue }: ValueProps): JSX.Element => (
  <PasswordField
    label={say('password_current')}
    autocomplete="current-password"
    value={value}
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);
