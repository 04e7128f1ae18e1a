import type { JSX } from 'preact';
import { say } from '../../../texts.ts';
import classes from './permissions-input.module.css';
import { changeText, type Ticks } from './ticks.ts';

type ChangeListProps = {
  permissions: readonly string[];
  ticks: Ticks;
  labelOf: (permission: string) => string;
};

/** What differs from the saved role. */
export function ChangeList({ permissions, ticks, labelOf }: ChangeListProps): JSX.Element {
  const of = (change: 'added' | 'removed') =>
    permissions.filter((permission) => ticks.changeOf(permission) === change);
  const [added, removed] = [of('added'), of('removed')];
  return (
    <div class={classes.changes}>
      <p role="status">{summaryOf(added.length, removed.length)}</p>
      {added.length + removed.length > 0 && (
        <ul>
          {[...added, ...removed].map((permission) => (
            <Change key={permission} permission={permission} ticks={ticks} labelOf={labelOf} />
          ))}
        </ul>
      )}
    </div>
  );
}

function summaryOf(added: number, removed: number): string {
  if (added + removed === 0) return say('roles_changes_none');
  const changes = [
    ...(added > 0 ? [say('roles_changes_added', { count: added })] : []),
    ...(removed > 0 ? [say('roles_changes_removed', { count: removed })] : []),
  ];
  return say('roles_changes', { changes: changes.join(', ') });
}

function Change({
  permission,
  ticks,
  labelOf,
}: Pick<ChangeListProps, 'ticks' | 'labelOf'> & { permission: string }): JSX.Element {
  const change = ticks.changeOf(permission) ?? 'added';
  return (
    <li>
      <b aria-hidden="true">{change === 'added' ? '+' : '−'}</b>{' '}
      <span class="unseen">{`${changeText(change)}: `}</span>
      {labelOf(permission)}
    </li>
  );
}
