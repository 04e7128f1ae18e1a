import type { JSX } from 'preact';
import { Notice, Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { type ConsoleText, say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import type { Course, TestResult } from './test-course.ts';

type Check = TestResult['checks'][number];
type Step = { name: string; status: Check['status'] | 'waiting'; detail: string; took_ms?: number };

const stepTexts = new Map<string, ConsoleText>(
  [
    ...(['fields', 'params', 'addresses', 'account', 'kerberos', 'attributes', 'connection'] as const),
    ...(['bind', 'identity', 'users', 'groups', 'user', 'password', 'user_groups', 'kdc'] as const),
  ].map((name) => [name, `access_step_${name}`]),
);

const tones: Readonly<Record<Step['status'], MarkTone>> = {
  pass: 'good',
  fail: 'bad',
  skipped: 'off',
  waiting: 'none',
};

type StepsProps = { course: Course; hasUser: boolean; hasPassword: boolean };

/** Each step with its state and its sentence. Steps of the directory are shown before it has answered. */
export function Steps({ course, hasUser, hasPassword }: StepsProps): JSX.Element {
  const { checked, result, isRunning } = course;
  const known: readonly Step[] = result?.checks ?? checked?.checks ?? [];
  const names = new Set(known.map(({ name }) => name));
  const expected = ['connection', 'bind', 'identity', 'users', 'groups'].concat(
    hasUser ? ['user', ...(hasPassword ? ['password'] : []), 'user_groups'] : [],
  );
  const waiting: Step[] = isRunning
    ? expected
        .filter((name) => !names.has(name))
        .map((name) => ({ name, status: 'waiting' as const, detail: '' }))
    : [];
  const end = result ?? (isRunning ? undefined : checked);
  return (
    <>
      {isRunning && <Progress label={say('access_test_running')} />}
      <ol class={classes.steps} aria-label={say('access_test_steps')}>
        {[...known, ...waiting].map((step) => (
          <StepItem key={step.name} step={step} />
        ))}
      </ol>
      {end && <Notice tone={end.success ? 'good' : 'bad'} title={end.message} isAlert={true} />}
    </>
  );
}

const StepItem = ({ step: { name, status, detail, took_ms } }: { step: Step }): JSX.Element => {
  const key = stepTexts.get(name);
  return (
    <li>
      <Mark tone={tones[status]}>
        <b>{key ? say(key) : name}</b>
        <span class="unseen">: {say(`access_step_is_${status}`)}</span>
      </Mark>
      {took_ms !== undefined && took_ms > 0 && (
        <span class={classes.quiet}>{say('milliseconds', { n: String(took_ms) })}</span>
      )}
      {detail !== '' && <p>{detail}</p>}
    </li>
  );
};
