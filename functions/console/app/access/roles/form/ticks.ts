import { useState } from 'preact/hooks';
import { say } from '../../../texts.ts';
import { mayGrant, type Sites } from '../permissions.ts';

/** The permissions of a role that are ticked, and which of them the user may change. */
export type Ticks = {
  has: (permission: string) => boolean;
  /** Of the permissions that the user may grant. */
  set: (permissions: readonly string[], isOn: boolean) => void;
  /** Ticks these permissions, as far as the user may grant them, and no others. */
  replace: (permissions: readonly string[]) => void;
  canSet: (permission: string) => boolean;
  /** How a permission differs from the saved role. */
  changeOf: (permission: string) => 'added' | 'removed' | undefined;
  /** Key of the box that the Tab key reaches; the arrow keys reach the others. */
  current: string | undefined;
  reach: (key: string) => void;
};

type Given = {
  values: readonly string[];
  /** Of the saved role; undefined for a new one. */
  saved: readonly string[] | undefined;
  sites: Sites;
  /** Nothing can be changed. */
  isLocked: boolean;
  /** Keys of the boxes that are drawn. */
  keys: readonly string[];
  onChange: (permissions: string[]) => void;
};

export function useTicks({ values, saved, sites, isLocked, keys, onChange }: Given): Ticks {
  const [reached, reach] = useState<string>();
  const [ticked, before] = [new Set(values), saved && new Set(saved)];
  // A permission that the user may no longer grant can be taken away again.
  const canSet = (permission: string) => !isLocked && (ticked.has(permission) || mayGrant(permission, sites));
  // In the order of the API: the form compares values in their order.
  const change = (permissions: Iterable<string>) => onChange([...permissions].sort());
  return {
    has: (permission) => ticked.has(permission),
    canSet,
    set: (permissions, isOn) => {
      const next = new Set(values);
      for (const permission of permissions.filter(canSet))
        if (isOn) next.add(permission);
        else next.delete(permission);
      change(next);
    },
    replace: (permissions) => change(permissions.filter((permission) => mayGrant(permission, sites))),
    changeOf: (permission) => {
      if (!before || before.has(permission) === ticked.has(permission)) return undefined;
      return before.has(permission) ? 'removed' : 'added';
    },
    current: reached !== undefined && keys.includes(reached) ? reached : keys[0],
    reach,
  };
}

export const changeText = (change: 'added' | 'removed'): string =>
  say(change === 'added' ? 'roles_added' : 'roles_removed');
