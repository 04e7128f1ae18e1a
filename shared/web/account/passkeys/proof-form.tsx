import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../client/portal-client.ts';
import { portal } from '../../client/session.ts';
import { CodeField, codeIn } from '../../credentials/code-field.tsx';
import { usePasskey } from '../../credentials/passkeys.ts';
import { PasswordField } from '../../credentials/password-field.tsx';
import type { Problem } from '../../problems/problem.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { useRequest } from '../../problems/use-request.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';
import type { Profile } from '../use-profile.ts';

/** The proof that the user is present: the password with a code, or a passkey. */
export type Proof = Operations['passkey.startRegistration']['asks']['body'];

type ProofFormProps = {
  twoFactor: Profile['two_factor'];
  label: string;
  look?: 'main' | 'danger';
  /** @throws PortalError */
  work: (proof: Proof) => Promise<void>;
  onCancel: () => void;
  /** Fields above the proof. */
  children?: ComponentChildren;
};

/** A form that confirms a change with a passkey, or with the password and a code if the account has a second factor. */
export function ProofForm(props: ProofFormProps): JSX.Element {
  const { twoFactor, label, look = 'main', onCancel, children } = props;
  const { form, usesPasskey, toggle, fields, problem, isBusy } = useProof(props);
  return (
    <form class={classes.form} onSubmit={form}>
      {children}
      {usesPasskey && <p class={classes.quiet}>{say('passkey_confirm_text')}</p>}
      {!usesPasskey && <CurrentPassword {...fields.password} />}
      {!usesPasskey && twoFactor.enrolled && <Code {...fields.code} />}
      {problem && <ProofProblem {...{ problem, usesPasskey }} />}
      <div class={classes.buttons}>
        <Button type="submit" {...{ look, busy: isBusy }}>
          {label}
        </Button>
        {twoFactor.methods.includes('passkey') && (
          <Button look="plain" onClick={toggle}>
            {say(usesPasskey ? 'passkey_with_password' : 'passkey_with_passkey')}
          </Button>
        )}
        <Button look="plain" onClick={onCancel}>
          {say('cancel')}
        </Button>
      </div>
    </form>
  );
}

function useProof({ twoFactor, work }: ProofFormProps) {
  const [usesPasskey, setUsesPasskey] = useState(twoFactor.methods.includes('passkey'));
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { problem, isBusy, run, forget } = useRequest();
  const form = (event: Event) => {
    event.preventDefault();
    void run(async () => work(usesPasskey ? await proofByPasskey() : proofOf(password, code)));
  };
  const toggle = () => {
    forget();
    setUsesPasskey(!usesPasskey);
  };
  const fields = {
    password: { value: password, onValue: setPassword },
    code: { value: code, onValue: setCode },
  };
  return { form, usesPasskey, toggle, fields, problem, isBusy };
}

const proofOf = (password: string, code: string): Proof => ({
  password,
  ...(codeIn(code) !== '' && { code: codeIn(code) }),
});

const proofByPasskey = async (): Promise<Proof> => ({
  assertion: await usePasskey(await portal.call('passkey.startSignIn')),
});

type ValueProps = { value: string; onValue: (value: string) => void };

const CurrentPassword = ({ value, onValue }: ValueProps): JSX.Element => (
  <PasswordField
    label={say('password_current')}
    autocomplete="current-password"
    value={value}
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);

/** A code of the app, or a recovery code. */
const Code = ({ value, onValue }: ValueProps): JSX.Element => (
  <CodeField
    value={value}
    hint={say('passkey_code_hint')}
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);

const ProofProblem = ({ problem, usesPasskey }: { problem: Problem; usesPasskey: boolean }): JSX.Element =>
  problem.code === 'invalid_credentials' ? (
    <Notice tone="bad" title={say(usesPasskey ? 'passkey_wrong' : 'two_factor_wrong')} isAlert={true} />
  ) : (
    <ProblemNotice problem={problem} />
  );
