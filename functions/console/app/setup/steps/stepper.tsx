import type { JSX } from 'preact';
import { Icon } from '../../../../../shared/web/ui/controls/icon.tsx';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';
import { type StepName, stepAddress, stepNames } from '../use-setup.ts';

/** All steps with the current one. Earlier steps are links until the site is created. */
export function Stepper({ current }: { current: StepName }): JSX.Element {
  const at = stepNames.indexOf(current);
  return (
    <nav aria-label={say('setup_steps')}>
      <p class={classes.position}>
        {say('setup_position', { step: at + 1, steps: stepNames.length, name: say(`setup_step_${current}`) })}
      </p>
      <ol class={classes.stepper}>
        {stepNames.map((name, index) => (
          <li
            key={name}
            class={index < at ? classes.past : ''}
            {...(index === at && { 'aria-current': 'step' as const })}
          >
            <span class={classes.number} aria-hidden="true">
              {index < at ? <Icon name="check" /> : index + 1}
            </span>
            {index < at && current !== 'done' ? (
              <a href={stepAddress(name)}>{say(`setup_step_${name}`)}</a>
            ) : (
              <span>{say(`setup_step_${name}`)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
