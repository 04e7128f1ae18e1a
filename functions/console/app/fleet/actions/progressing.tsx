import type { JSX } from 'preact';
import { textsOf } from '../../../../../shared/web/problems/problem-texts.ts';
import { Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../../texts.ts';
import classes from './actions.module.css';
import { Names } from './asking.tsx';
import type { FleetAction, Target } from './fleet-actions.ts';
import type { Outcome } from './run-jobs.ts';
import type { Run } from './use-run.ts';

type ProgressingProps = { action: FleetAction; targets: readonly Target[]; run: Run };

/** How far an action on several records has come, and what failed. */
export function Progressing({ action, targets, run }: ProgressingProps): JSX.Element {
  const { state, outcomes } = run;
  const reached = targets.filter(({ key }) => outcomes.has(key));
  const failed = reached.filter(({ key }) => outcomes.get(key)?.problem);
  const left = targets.filter(({ key }) => !outcomes.has(key));
  const text = say('fleet_progress', { done: reached.length - failed.length, all: targets.length });
  return (
    <>
      <Progress label={say(`fleet_do_${action.name}`)} percent={(reached.length / targets.length) * 100} />
      <p role="status">
        {text}
        {failed.length > 0 && ` ${say('fleet_failed', { count: failed.length })}`}
      </p>
      <ul class={classes.groups}>
        {reached.map((target) => (
          <OutcomeItem key={target.key} target={target} outcome={outcomes.get(target.key)} />
        ))}
        {state === 'ended' && left.length > 0 && (
          <li>
            <Mark tone="off">{say('fleet_not_reached', { count: left.length })}</Mark>
            <Names targets={left} />
          </li>
        )}
      </ul>
    </>
  );
}

type OutcomeItemProps = { target: Target; outcome: Outcome | undefined };

/** A success without anything to say needs no line. */
function OutcomeItem({ target: { name }, outcome }: OutcomeItemProps): JSX.Element | null {
  const { problem, note } = outcome ?? {};
  if (!problem)
    return note === undefined ? null : (
      <li>
        <Mark tone="good">{name}</Mark>
        <span class={classes.names}>{note}</span>
      </li>
    );
  const { title } = textsOf(problem);
  const { detail } = problem;
  return (
    <li>
      <Mark tone="bad">{name}</Mark>
      <span class={classes.names}>
        {detail === undefined || detail === title ? title : `${title}: ${detail}`}
      </span>
    </li>
  );
}
