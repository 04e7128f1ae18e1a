import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../shared/web/client/session.ts';
import { CodeField, codeIn } from '../../../../shared/web/credentials/code-field.tsx';
import { Enrolment } from '../../../../shared/web/credentials/enrolment.tsx';
import { PasswordField } from '../../../../shared/web/credentials/password-field.tsx';
import { RecoveryCodes } from '../../../../shared/web/credentials/recovery-codes.tsx';
import type { Problem } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../texts.ts';
import classes from './account.module.css';

type Step =
  | { name: 'start' }
  | { name: 'enrol'; uri: string; secret: string }
  | { name: 'codes'; codes: readonly string[] }
  | { name: 'remove' };

/** Sets the second factor up with a QR code, or removes it. */
export function TwoFactor(): JSX.Element {
  const [step, setStep] = useState<Step>({ name: 'start' });
  const restart = () => setStep({ name: 'start' });
  switch (step.name) {
    case 'start':
      return <Start onStep={setStep} />;
    case 'enrol':
      return <Enrol {...step} onStep={setStep} />;
    case 'codes':
      return <Codes codes={step.codes} onDone={restart} />;
    case 'remove':
      return <Remove onDone={restart} />;
  }
}

type StepProps = { onStep: (step: Step) => void };

function Start({ onStep }: StepProps): JSX.Element {
  const [password, setPassword] = useState('');
  const { problem, isBusy, run } = useRequest();
  const start = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const answer = await portal.call('userinfo.enrolTwoFactor', { body: { password } });
      if ('secret' in answer) onStep({ name: 'enrol', uri: answer.otpauth_uri, secret: answer.secret });
    });
  };
  return (
    <form class={classes.form} onSubmit={start}>
      <p class={classes.quiet}>{say('two_factor_text')}</p>
      <CurrentPassword value={password} onValue={setPassword} />
      {problem && <FactorProblem problem={problem} />}
      <div class={classes.buttons}>
        <Button type="submit" busy={isBusy}>
          {say('two_factor_start')}
        </Button>
        <Button look="danger" onClick={() => onStep({ name: 'remove' })}>
          {say('two_factor_remove')}
        </Button>
      </div>
    </form>
  );
}

function Enrol({ uri, secret, onStep }: StepProps & { uri: string; secret: string }): JSX.Element {
  const [code, setCode] = useState('');
  const { problem, isBusy, run } = useRequest();
  const finish = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const body = { code: codeIn(code) };
      const answer = await portal.call('userinfo.enrolTwoFactor', { body });
      if ('recovery_codes' in answer) onStep({ name: 'codes', codes: answer.recovery_codes });
    });
  };
  return (
    <form class={classes.form} onSubmit={finish}>
      <p>{say('two_factor_scan')}</p>
      <Enrolment uri={uri} secret={secret} />
      <CodeField value={code} onInput={({ currentTarget }) => setCode(currentTarget.value)} />
      {problem && <FactorProblem problem={problem} />}
      <Button type="submit" busy={isBusy}>
        {say('two_factor_finish')}
      </Button>
    </form>
  );
}

const Codes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): JSX.Element => (
  <>
    <Notice tone="warn" title={say('recovery_title')}>
      {say('recovery_text')}
    </Notice>
    <RecoveryCodes codes={codes} onDone={onDone} />
  </>
);

function Remove({ onDone }: { onDone: () => void }): JSX.Element {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { problem, isBusy, run } = useRequest();
  const remove = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await portal.call('userinfo.removeTwoFactor', { body: { password, code: codeIn(code) } });
      toast(say('two_factor_removed'));
      onDone();
    });
  };
  return (
    <form class={classes.form} onSubmit={remove}>
      <CurrentPassword value={password} onValue={setPassword} />
      <CodeField value={code} onInput={({ currentTarget }) => setCode(currentTarget.value)} />
      {problem && <FactorProblem problem={problem} />}
      <div class={classes.buttons}>
        <Button look="danger" type="submit" busy={isBusy}>
          {say('two_factor_remove')}
        </Button>
        <Button look="plain" onClick={onDone}>
          {say('cancel')}
        </Button>
      </div>
    </form>
  );
}

type ValueProps = { value: string; onValue: (value: string) => void };

const CurrentPassword = ({ value, onValue }: ValueProps): JSX.Element => (
  <PasswordField
    label={say('password_current')}
    autocomplete="current-password"
    value={value}
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);

/** A wrong password and a wrong code have the same problem code. */
const FactorProblem = ({ problem }: { problem: Problem }): JSX.Element =>
  problem.code === 'invalid_credentials' ? (
    <Notice tone="bad" title={say('two_factor_wrong')} isAlert={true} />
  ) : (
    <ProblemNotice problem={problem} />
  );
