import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PasswordField } from '../../../../shared/web/credentials/password-field.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Field, SelectField } from '../../../../shared/web/ui/controls/field.tsx';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { facts } from '../facts.ts';
import { providerOfAddress, startAddressOf } from '../providers.ts';
import { Refusal, refusedBy } from '../refusal.tsx';
import { signIn } from '../requests.ts';
import { StepForm } from '../steps/step-form.tsx';
import { say } from '../texts.ts';
import { entryOf, useSubmission } from '../use-submission.ts';
import type { MethodProps } from './method.ts';

/** Domain, user name and password. The notice is about a page without any domain. */
export function PasswordMethod(props: MethodProps): JSX.Element | null {
  if (facts.domains.length > 0) return <Credentials {...props} />;
  if (facts.providers.length > 0) return null;
  return (
    <Notice tone="bad" title={say('no_domains')} isAlert={true}>
      {say('no_domains_text')}
    </Notice>
  );
}

/** Opens the provider of the e-mail address that was typed, if it has one. */
function leaveForProvider(event: FocusEvent & { currentTarget: HTMLInputElement }): void {
  const login = event.currentTarget.value.trim();
  const id = providerOfAddress(login);
  if (id !== undefined) location.assign(startAddressOf(id, login));
}

function Credentials({ onOutcome, isLeaving }: MethodProps): JSX.Element {
  const { form, faults, problem, submit, change, button } = useSubmission({
    missing,
    work: (values) =>
      signIn({
        authId: entryOf(values, 'domain'),
        username: entryOf(values, 'username').trim(),
        password: entryOf(values, 'password'),
      }),
    onOutcome,
    isLeaving,
  });
  return (
    <StepForm id="credentials" {...{ form, submit }}>
      {problem && <Refusal problem={problem} about="signin" />}
      <Domain onChange={change} />
      <Field
        {...{ id: 'username', name: 'username', label: say('username'), fault: faults.username }}
        {...{ autocomplete: userNameHint, autocapitalize: 'none', spellcheck: false }}
        maxLength={256}
        required={true}
        onInput={change}
        onBlur={leaveForProvider}
      />
      <PasswordField
        {...{ id: 'password', name: 'password', label: say('password'), fault: faults.password }}
        {...refusedBy(problem)}
        autocomplete="current-password"
      />
      <Button type="submit" {...button}>
        {say('sign_in')}
      </Button>
    </StepForm>
  );
}

/** With `webauthn`, browsers offer passkeys among the suggestions of the field. */
const userNameHint = facts.passkeys ? 'username webauthn' : 'username';

/** One domain needs no choice. */
function Domain({ onChange }: { onChange: () => void }): JSX.Element {
  const [{ id: first = '' } = {}] = facts.domains;
  const [domain, setDomain] = useState(first);
  const choose = (id: string) => {
    setDomain(id);
    onChange();
  };
  if (facts.domains.length === 1) return <input id="domain" name="domain" type="hidden" value={first} />;
  return (
    <SelectField
      {...{ id: 'domain', name: 'domain', label: say('domain'), value: domain, onChange: choose }}
      options={facts.domains.map(({ id, name }) => [id, name])}
    />
  );
}

function missing(values: FormData): { username?: string; password?: string } {
  return {
    ...(entryOf(values, 'username').trim() === '' && { username: say('missing_username') }),
    ...(entryOf(values, 'password') === '' && { password: say('missing_password') }),
  };
}
