import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Input } from '../../records/form/input.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { say } from '../../texts.ts';
import { faultOf, type Plan, startsIn, stepsOf } from './plan.ts';
import classes from './templates.module.css';

/** What happens during a maintenance, and when. */
export function Steps({ plan }: { plan: Plan }): JSX.Element {
  const title = useId();
  const now = Date.now();
  const fault = faultOf(plan, now);
  const start = startsIn(plan, now);
  return (
    <section class={classes.part} aria-labelledby={title}>
      <h2 id={title}>
        {say('template_steps')} {start !== undefined && <span class={classes.quiet}>{start}</span>}
      </h2>
      {fault !== undefined && <Notice tone="warn" title={fault} />}
      <ol class={classes.steps}>
        {stepsOf(plan).map(({ time, texts }) => (
          <li key={time}>
            <b>{time}</b>
            {texts.map((text) => (
              <span key={text}>{text}</span>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The last input of the form, and what the form describes. */
export const LastInput = (props: InputProps): JSX.Element => (
  <>
    <Input {...props} />
    <Steps plan={props.values} />
  </>
);
