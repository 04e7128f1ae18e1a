import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CodeField, codeIn } from '../../../../shared/web/credentials/code-field.tsx';
import { Enrolment } from '../../../../shared/web/credentials/enrolment.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import type { Challenge } from '../flow.ts';
import type { MethodProps } from '../methods/method.ts';
import { Refusal, refusedBy } from '../refusal.tsx';
import classes from '../signin.module.css';
import { say } from '../texts.ts';
import { entryOf, useSubmission } from '../use-submission.ts';
import { Step } from './step.tsx';
import { StepForm } from './step-form.tsx';

type FactorProps = MethodProps & { challenge: Challenge; onRestart: () => void };

/** The code of an authenticator app, which the user sets up before if they have none, or a recovery code. */
export function Factor({ challenge, onOutcome, isLeaving, onRestart }: FactorProps): JSX.Element {
  const { enrolment, login } = challenge;
  const [isRecovery, setRecovery] = useState(false);
  const { form, faults, problem, submit, change, button } = useSubmission({
    missing,
    work: (values) => challenge.answer(codeIn(entryOf(values, 'code'))),
    onOutcome,
    isLeaving,
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), [isRecovery]);
  const toggle = () => {
    form.current?.reset();
    change();
    setRecovery(!isRecovery);
  };
  const hint = say(isRecovery ? 'recovery_hint' : 'factor_hint', { user: login });
  return (
    <Step
      heading={say(enrolment ? 'enrol_heading' : 'factor_heading')}
      hint={enrolment ? say('enrol_hint') : hint}
    >
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
        <Ways isEnrolment={enrolment !== undefined} {...{ isRecovery, onRestart }} onToggle={toggle} />
      </StepForm>
    </Step>
  );
}

type WaysProps = { isEnrolment: boolean; isRecovery: boolean; onToggle: () => void; onRestart: () => void };

/** What else the user can do. */
const Ways = ({ isEnrolment, isRecovery, onToggle, onRestart }: WaysProps): JSX.Element => (
  <div class={classes.ways}>
    {!isEnrolment && (
      <button type="button" class={classes.link} onClick={onToggle}>
        {say(isRecovery ? 'use_app' : 'use_recovery')}
      </button>
    )}
    <button type="button" class={classes.link} onClick={onRestart}>
      {say('restart')}
    </button>
  </div>
);

const missing = (values: FormData): { code?: string } =>
  codeIn(entryOf(values, 'code')) === '' ? { code: say('missing_code') } : {};
