import type { JSX } from 'preact';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../../texts.ts';
import classes from './connection.module.css';
import type { TestedStep } from './test-query.ts';

const tones: Record<TestedStep['status'], MarkTone> = { pass: 'good', fail: 'bad', skipped: 'none' };

/** The steps of a test with their results. A failed one says what to do. */
export const StepList = ({ steps }: { steps: readonly TestedStep[] }): JSX.Element => (
  <ol class={classes.steps}>
    {steps.map((step) => (
      <li key={step.name} data-step={step.name} data-status={step.status}>
        <Mark tone={tones[step.status]}>
          <b>{say(step.name === 'connection' ? 'setup_test_connection_step' : `setup_test_${step.name}`)}</b>
          <span class="unseen">{say(`setup_status_${step.status}`)}</span>
        </Mark>
        <span class={classes.detail}>
          {step.detail}
          {step.status === 'fail' && <Hint step={step} />}
        </span>
        <span class={classes.took}>
          {step.status !== 'skipped' && step.took_ms > 0
            ? say('milliseconds', { n: countText(step.took_ms) })
            : ''}
        </span>
      </li>
    ))}
  </ol>
);

/** Codes of servers that are not dispatchers. */
const foreign = new Set([
  'not_json',
  'wrong_shape',
  'unexpected_status',
  'redirect',
  'too_large',
  'malformed',
]);

/** What to do about a failed step. */
export function hintOf({ name, code }: Pick<TestedStep, 'name' | 'code'>): string | undefined {
  const keys = [`setup_hint_${name}_${code}`, `setup_hint_${foreign.has(code ?? '') ? 'foreign' : code}`];
  const key = keys.find(hasText);
  return key && sayText(key);
}

function Hint({ step }: { step: TestedStep }): JSX.Element | null {
  const hint = hintOf(step);
  return hint === undefined ? null : <span class={classes.hint}>{hint}</span>;
}
