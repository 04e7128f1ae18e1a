import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../client/portal-client.ts';
import { portal } from '../client/session.ts';
import { CodeField, codeIn } from '../credentials/code-field.tsx';
import { Enrolment } from '../credentials/enrolment.tsx';
import { RecoveryCodes } from '../credentials/recovery-codes.tsx';
import type { Problem } from '../problems/problem.ts';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { useRequest } from '../problems/use-request.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge, Notice } from '../ui/feedback/feedback.tsx';
import { toast } from '../ui/overlays/toasts.tsx';
import classes from './account.module.css';
import { AtProvider, CurrentPassword, isElsewhere } from './owner-proof.tsx';
import { say } from './texts.ts';
import { type Profile, renewProfile } from './use-profile.ts';

type Step =
  | { name: 'start' }
  | { name: 'enrol'; uri: string; secret: string }
  | { name: 'codes'; codes: readonly string[] }
  | { name: 'remove' };

type ProfileProps = { profile: Profile };
type EnrolmentStart = Operations['userinfo.enrolTwoFactor']['asks']['body'];
type Removal = Operations['userinfo.removeTwoFactor']['asks']['body'];

/** Sets the second factor up with a QR code, or removes it. */
export function TwoFactor({ profile }: ProfileProps): JSX.Element {
  const client = useQueryClient();
  const [step, setStep] = useState<Step>({ name: 'start' });
  const restart = () => setStep({ name: 'start' });
  const renew = () => renewProfile(client).finally(restart);
  switch (step.name) {
    case 'start':
      if (profile.two_factor.methods.includes('totp')) return <Enrolled profile={profile} onStep={setStep} />;
      return <Start profile={profile} onStep={setStep} />;
    case 'enrol':
      return <Enrol {...step} onStep={setStep} onCancel={restart} />;
    case 'codes':
      return <Codes codes={step.codes} onDone={renew} />;
    case 'remove':
      return <Remove profile={profile} onDone={renew} onCancel={restart} />;
  }
}

type StepProps = { onStep: (step: Step) => void };

const Enrolled = ({ profile, onStep }: ProfileProps & StepProps): JSX.Element => (
  <div class={classes.form}>
    <Badge tone="good">{say('two_factor_on')}</Badge>
    <p class={classes.quiet}>
      {say(isElsewhere(profile) ? 'two_factor_text_provider_on' : 'two_factor_text_on')}
    </p>
    {profile.two_factor.required && <p class={classes.quiet}>{say('two_factor_required')}</p>}
    <Button look="danger" onClick={() => onStep({ name: 'remove' })}>
      {say('two_factor_remove')}
    </Button>
  </div>
);

const textOf = (profile: Profile): string =>
  isElsewhere(profile)
    ? say('two_factor_text_provider', { domain: profile.domain.name })
    : say('two_factor_text');

function Start({ profile, onStep }: ProfileProps & StepProps): JSX.Element {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [recovery, setRecovery] = useState('');
  const { problem, isBusy, run } = useRequest();
  const isMissing = profile.two_factor.required && !profile.two_factor.enrolled;
  const hasPasskey = profile.two_factor.methods.includes('passkey');
  const start = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      try {
        const given = { password, ...(hasPasskey && { recovery_code: codeIn(recovery) }) };
        const body: EnrolmentStart = isElsewhere(profile) ? { fresh_sign_in: true } : given;
        const answer = await portal.call('userinfo.enrolTwoFactor', { body });
        if ('secret' in answer) onStep({ name: 'enrol', uri: answer.otpauth_uri, secret: answer.secret });
      } catch (error) {
        // Such as one that was set up on another page.
        await renewProfile(client);
        throw error;
      }
    });
  };
  return (
    <form class={classes.form} onSubmit={start}>
      <Badge tone={isMissing ? 'warn' : 'info'}>{say('two_factor_off')}</Badge>
      <p class={classes.quiet}>{textOf(profile)}</p>
      {isMissing && <p class={classes.quiet}>{say('two_factor_required')}</p>}
      {isElsewhere(profile) ? (
        <AtProvider profile={profile} />
      ) : (
        <CurrentPassword value={password} onValue={setPassword} />
      )}
      {hasPasskey && <RecoveryCode value={recovery} onValue={setRecovery} />}
      {problem && <FactorProblem problem={problem} />}
      <Button type="submit" busy={isBusy}>
        {say('two_factor_start')}
      </Button>
    </form>
  );
}

type EnrolProps = StepProps & { uri: string; secret: string; onCancel: () => void };

function Enrol({ uri, secret, onStep, onCancel }: EnrolProps): JSX.Element {
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
      <div class={classes.buttons}>
        <Button type="submit" busy={isBusy}>
          {say('two_factor_finish')}
        </Button>
        <Button look="plain" onClick={onCancel}>
          {say('cancel')}
        </Button>
      </div>
    </form>
  );
}

const Codes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }): JSX.Element => (
  <>
    <Notice tone="warn" title={say('two_factor_save_title')}>
      {say('two_factor_save_text')}
    </Notice>
    <RecoveryCodes codes={codes} onDone={onDone} />
  </>
);

type RemoveProps = ProfileProps & { onDone: () => void; onCancel: () => void };

function Remove({ profile, onDone, onCancel }: RemoveProps): JSX.Element {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { problem, isBusy, run } = useRequest();
  const remove = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const body: Removal = isElsewhere(profile) ? { fresh_sign_in: true } : { password, code: codeIn(code) };
      await portal.call('userinfo.removeTwoFactor', { body });
      toast(say('two_factor_removed'));
      onDone();
    });
  };
  return (
    <form class={classes.form} onSubmit={remove}>
      {profile.two_factor.required && <p class={classes.quiet}>{say('two_factor_required_again')}</p>}
      {isElsewhere(profile) ? (
        <AtProvider profile={profile} />
      ) : (
        <>
          <CurrentPassword value={password} onValue={setPassword} />
          <CodeField value={code} onInput={({ currentTarget }) => setCode(currentTarget.value)} />
        </>
      )}
      {problem && <FactorProblem problem={problem} />}
      <div class={classes.buttons}>
        <Button look="danger" type="submit" busy={isBusy}>
          {say('two_factor_remove')}
        </Button>
        <Button look="plain" onClick={onCancel}>
          {say('cancel')}
        </Button>
      </div>
    </form>
  );
}

type ValueProps = { value: string; onValue: (value: string) => void };

const RecoveryCode = ({ value, onValue }: ValueProps): JSX.Element => (
  <CodeField
    isRecovery={true}
    value={value}
    hint={say('two_factor_recovery_hint')}
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
