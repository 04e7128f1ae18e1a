import type { JSX } from 'preact';
import { say } from '../../../texts.ts';
import { resourceText } from '../../parts/rights.ts';
import classes from './permissions-input.module.css';
import { changeText, type Ticks } from './ticks.ts';

type PermissionBoxProps = {
  ticks: Ticks;
  permission: string;
  /** The name of the permission. */
  label: string;
  /** The action alone, for a grid without a header. Default: the name is shown. */
  word?: string;
};

/** The box of a permission. One that cannot be set keeps the focus, so that its reason can be read. */
export function PermissionBox({ ticks, permission, label, word }: PermissionBoxProps): JSX.Element {
  const change = ticks.changeOf(permission);
  const isFree = ticks.canSet(permission);
  const about = [...(change ? [changeText(change)] : []), ...(isFree ? [] : [say('roles_not_yours')])];
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        title={about.length > 0 ? about.join('. ') : label}
        {...boxOf(ticks, permission, isFree)}
        checked={ticks.has(permission)}
        onChange={({ currentTarget }) => ticks.set([permission], currentTarget.checked)}
      />
      {change && (
        <span class={classes.change} aria-hidden="true">
          {change === 'added' ? '+' : '−'}
        </span>
      )}
      {word === undefined ? <span>{label}</span> : <Word>{word}</Word>}
    </label>
  );
}

type ResourceBoxProps = { ticks: Ticks; resource: string; permissions: readonly string[] };

/** The box of all permissions of a resource. */
export function ResourceBox({ ticks, resource, permissions }: ResourceBoxProps): JSX.Element {
  const free = permissions.filter(ticks.canSet);
  const isAll = permissions.every(ticks.has) || (free.length > 0 && free.every(ticks.has));
  const label = say('roles_all_of', { resource: resourceText(resource) });
  return (
    <label>
      <input
        type="checkbox"
        aria-label={label}
        title={free.length > 0 ? label : say('roles_not_yours')}
        {...boxOf(ticks, keyOfAll(resource), free.length > 0)}
        checked={isAll}
        indeterminate={!isAll && permissions.some(ticks.has)}
        onChange={() => ticks.set(permissions, !isAll)}
      />
      <Word>{say('roles_all')}</Word>
    </label>
  );
}

/** Shown where the grid is too narrow for a header. */
const Word = ({ children }: { children: string }): JSX.Element => (
  <span class={classes.word} aria-hidden="true">
    {children}
  </span>
);

export const keyOfAll = (resource: string): string => `all ${resource}`;

const boxOf = (ticks: Ticks, key: string, isFree: boolean) => ({
  'aria-disabled': !isFree,
  tabIndex: ticks.current === key ? 0 : -1,
  onFocus: () => ticks.reach(key),
  onClick: (event: Event) => {
    if (!isFree) event.preventDefault();
  },
});
