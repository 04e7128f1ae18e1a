import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CodeField, codeIn } from '../../../../shared/web/credentials/code-field.tsx';
import { Enrolment } from '../../../../shared/web/credentials/enrolment.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import type { Challenge } from '../flow.ts';
import type { MethodProps } from '../methods/method.ts';
import { PasskeyButton } from '../passkey-button.tsx';
import { answerByPasskey, offersPasskeys } from '../passkeys.ts';
import { Refusal, refusedBy } from '../refusal.tsx';
import classes from '../signin.module.css';
import { say } from '../texts.ts';
import { entryOf, useSubmission } from '../use-submission.ts';
import type { Credentials } from '../user.ts';
import { Step } from './step.tsx';
import { StepForm } from './step-form.tsx';

type FactorProps = MethodProps & { challenge: Challenge; onRestart: () => void };

/** A passkey, the code of an authenticator app, or a recovery code. A user without one sets one up before. */
export function Factor(props: FactorProps): JSX.Element {
  const { challenge, onRestart } = props;
  const { credentials, enrolment, methods } = challenge;
  const hasApp = methods.includes('totp');
  const hasPasskey = credentials !== undefined && methods.includes('passkey') && offersPasskeys();
  const [isRecovery, setRecovery] = useState(!hasApp && !hasPasskey);
  const hasCode = hasApp || isRecovery;
  return (
    <Step
      heading={say(enrolment ? 'enrol_heading' : 'factor_heading')}
      hint={hintOf(challenge, isRecovery, hasCode)}
    >
      {hasPasskey && !enrolment && <PasskeyFactor {...{ ...props, credentials }} />}
      {hasCode && <CodeForm key={String(isRecovery)} {...{ ...props, isRecovery }} />}
      {hasPasskey && enrolment && <PasskeyFactor {...{ ...props, credentials }} />}
      <Ways
        {...{ isRecovery, onRestart }}
        canToggle={!enrolment && (hasApp || hasPasskey)}
        back={hasApp ? 'use_app' : 'use_passkey'}
        onToggle={() => setRecovery(!isRecovery)}
      />
    </Step>
  );
}

function hintOf({ login, enrolment }: Challenge, isRecovery: boolean, hasCode: boolean): string {
  if (enrolment) return say('enrol_hint');
  if (isRecovery) return say('recovery_hint', { user: login });
  return say(hasCode ? 'factor_hint' : 'passkey_hint', { user: login });
}

type PasskeyFactorProps = FactorProps & { credentials: Credentials };

function PasskeyFactor({ challenge, credentials, ...props }: PasskeyFactorProps): JSX.Element {
  const { enrolment, challenge_id } = challenge;
  return (
    <PasskeyButton
      {...props}
      label={say(enrolment ? 'passkey_create' : 'passkey_use')}
      look={challenge.methods.includes('totp') ? 'plain' : 'main'}
      work={() => answerByPasskey(credentials, challenge_id)}
    />
  );
}

type CodeFormProps = FactorProps & { isRecovery: boolean };

function CodeForm({ challenge, onOutcome, isLeaving, isRecovery }: CodeFormProps): JSX.Element {
  const { enrolment } = challenge;
  const { form, faults, problem, submit, button } = useSubmission({
    missing,
    work: (values) => challenge.answer(codeIn(entryOf(values, 'code'))),
    onOutcome,
    isLeaving,
  });
  useEffect(() => form.current?.querySelector<HTMLElement>('input:not([readonly])')?.focus(), []);
  return (
    <StepForm id="factor" {...{ form, submit }}>
      {enrolment && <Enrolment uri={enrolment.otpauth_uri} secret={enrolment.secret} />}
      {problem && <Refusal problem={problem} about="factor" />}
      <CodeField
        {...{ id: 'code', name: 'code', isRecovery, fault: faults.code, 'aria-describedby': 'hint' }}
        {...refusedBy(problem)}
      />
      <Button type="submit" {...button}>
        {say('confirm')}
      </Button>
    </StepForm>
  );
}

type WaysProps = {
  canToggle: boolean;
  isRecovery: boolean;
  back: 'use_app' | 'use_passkey';
  onToggle: () => void;
  onRestart: () => void;
};

/** What else the user can do. */
const Ways = ({ canToggle, isRecovery, back, onToggle, onRestart }: WaysProps): JSX.Element => (
  <div class={classes.ways}>
    {canToggle && (
      <button type="button" class={classes.link} onClick={onToggle}>
        {say(isRecovery ? back : 'use_recovery')}
      </button>
    )}
    <button type="button" class={classes.link} onClick={onRestart}>
      {say('restart')}
    </button>
  </div>
);

const missing = (values: FormData): { code?: string } =>
  codeIn(entryOf(values, 'code')) === '' ? { code: say('missing_code') } : {};
