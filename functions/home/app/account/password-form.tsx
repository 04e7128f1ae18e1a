import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PortalError } from '../../../../shared/client/refusals.ts';
import { portal } from '../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../shared/web/ui/controls/field.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { facts } from '../facts.ts';
import { say } from '../texts.ts';
import classes from './account.module.css';

type Faults = { current?: string; next?: string; again?: string; other?: Problem };

const empty = { current: '', next: '', again: '' };
type Values = typeof empty;

/** Changes the password. The refusal is shown at the field that it concerns. */
export function PasswordForm(): JSX.Element {
  const [values, setValues] = useState(empty);
  const [faults, setFaults] = useState<Faults>({});
  const [isBusy, setBusy] = useState(false);
  const field = (name: keyof Values, autocomplete: string) => (
    <PasswordField
      {...{ name, autocomplete }}
      value={values[name]}
      fault={faults[name]}
      onValue={(value) => setValues({ ...values, [name]: value })}
    />
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (values.next !== values.again) return setFaults({ again: say('password_differs') });
    setBusy(true);
    const found = await change(values.current, values.next);
    setBusy(false);
    setFaults(found ?? {});
    if (found) return;
    setValues(empty);
    toast(say('password_changed'));
  };
  return (
    <form class={classes.form} onSubmit={submit}>
      <UserName />
      {field('current', 'current-password')}
      {field('next', 'new-password')}
      {field('again', 'new-password')}
      <p class={classes.quiet}>{say(facts.own_tokens ? 'password_effect_tokens' : 'password_effect')}</p>
      {faults.other && <ProblemNotice problem={faults.other} />}
      <Button type="submit" busy={isBusy}>
        {say('change_password')}
      </Button>
    </form>
  );
}

/** Password managers store the new password with the name of the user. */
const UserName = (): JSX.Element => (
  <input
    class="unseen"
    autocomplete="username"
    value={facts.user.login}
    tabIndex={-1}
    readOnly={true}
    aria-hidden="true"
  />
);

type PasswordFieldProps = {
  name: keyof Values;
  autocomplete: string;
  value: string;
  fault: string | undefined;
  onValue: (value: string) => void;
};

const PasswordField = ({ name, onValue, ...rest }: PasswordFieldProps): JSX.Element => (
  <Field
    {...rest}
    label={say(`password_${name}`)}
    type="password"
    maxLength={1024}
    required={true}
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);

/** @returns why the change was refused */
async function change(current: string, next: string): Promise<Faults | undefined> {
  try {
    await portal.call('userinfo.changePassword', { body: { current, new: next } });
    return undefined;
  } catch (error) {
    if (!(error instanceof PortalError)) return { other: problemOf(error) };
    if (error.code === 'invalid_credentials') return { current: say('password_wrong') };
    const fault = error.problem?.errors?.find(({ pointer }) => pointer === '/new');
    return fault ? { next: fault.detail } : { other: problemOf(error) };
  }
}
