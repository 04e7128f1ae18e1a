import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark, type MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { Switch } from '../../records/form/inputs/switch.tsx';
import type { Kind } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import classes from './actions.module.css';
import type { FleetAction, Target } from './fleet-actions.ts';
import { Inputs } from './inputs.tsx';
import type { Asked } from './use-action.ts';
import { type Group, groupsIn, type Verdict } from './use-preview.ts';

type AskingProps = {
  kind: Kind;
  action: FleetAction;
  asked: Pick<Asked, 'preview' | 'values' | 'setValues' | 'isForced' | 'setForced'>;
};

/** What an action will do to which records, and what has to be entered for it. */
export function Asking({ kind, action, asked }: AskingProps): JSX.Element {
  const { preview, values, setValues, isForced, setForced } = asked;
  const groups = groupsIn(preview.data ?? []);
  const working = groups.filter(({ verdict }) => verdict === 'needs_force');
  const count = working.reduce((sum, { targets }) => sum + targets.length, 0);
  return (
    <>
      <Inputs kind={kind} action={action} values={values} onChange={setValues} />
      {preview.isPending && <Skeleton height="4rem" />}
      {preview.error !== null && <ProblemNotice problem={problemOf(preview.error)} />}
      <div role="status">
        <ul class={classes.groups}>
          {groups.map((group) => (
            <GroupItem
              key={`${group.verdict} ${group.reason}`}
              action={action}
              group={group}
              isForced={isForced}
            />
          ))}
        </ul>
      </div>
      {count > 0 && (
        <Switch
          label={say('fleet_force', { count })}
          isOn={isForced}
          hint={say('fleet_force_hint')}
          onChange={setForced}
        />
      )}
      {action.note && groups.length > 0 && <p class={classes.quiet}>{say(action.note)}</p>}
    </>
  );
}

const tones: Record<Verdict, MarkTone> = {
  possible: 'good',
  unlikely: 'warn',
  needs_force: 'warn',
  no_effect: 'off',
  refused: 'bad',
};

type GroupItemProps = { action: FleetAction; group: Group; isForced: boolean };

function GroupItem({ action, group: { verdict, reason, targets }, isForced }: GroupItemProps): JSX.Element {
  const count = targets.length;
  const isSent = verdict === 'possible' || (verdict === 'needs_force' && isForced);
  const text = isSent && reason === null ? say(`fleet_will_${action.name}`, { count }) : undefined;
  const why = reason === null ? '' : say(`fleet_why_${reason}`, { count });
  const what = say(isSent || verdict === 'unlikely' ? 'fleet_included' : 'fleet_left_out');
  return (
    <li>
      <Mark tone={tones[verdict]}>{text ?? `${why} – ${what}`}</Mark>
      <Names targets={targets} />
    </li>
  );
}

/** Names shown without a click. */
const mostShown = 3;

export function Names({ targets }: { targets: readonly Target[] }): JSX.Element {
  const names = targets.map(({ name }) => name);
  if (names.length <= mostShown) return <span class={classes.names}>{names.join(', ')}</span>;
  return (
    <details class={classes.names}>
      <summary>
        {[...names.slice(0, mostShown), say('and_more', { more: names.length - mostShown })].join(', ')}
      </summary>
      {names.slice(mostShown).join(', ')}
    </details>
  );
}
