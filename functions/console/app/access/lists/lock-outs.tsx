import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import type { Kind, Row } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { say } from '../../texts.ts';
import type { Confirmation } from '../parts/confirm-dialog.tsx';
import { RowActions } from './row-actions.tsx';
import { SelectedButton } from './selected-button.tsx';
import { idIn } from './user-address.ts';

const mayUnlock = (): boolean => may(['users.update']);
const pathOf = (row: Row): string => filledPath('/api/webui/aggregator/lock-outs/{id}', { id: idIn(row) });
const changes = ['lockOut', 'user', 'portalUser'] as const;
const textFor = ({ user }: Row): string =>
  user === null ? say('access_lock_reach_network') : say('access_unlock_text');

const unlocking = (row: Row): Confirmation => ({
  title: say('access_lock_title'),
  text: textFor(row),
  label: say('access_unlock'),
  sending: { method: 'DELETE', path: pathOf(row) },
  done: say('access_lock_ended'),
  changes,
});

/** Milliseconds between reads: the end of the time of a lock-out is not announced as a change. */
const readEveryMs = 60_000;

/** Keeps the list current, and says that an empty one is good. */
export function LocksHead({ answer }: { answer: unknown }): JSX.Element | null {
  const client = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible')
        void client.invalidateQueries({ queryKey: ['list', 'lockOut'] });
    }, readEveryMs);
    return () => clearInterval(timer);
  }, [client]);
  const { items } = answer as { items: readonly unknown[] };
  return items.length === 0 ? <Notice tone="good" title={say('access_locks_none')} /> : null;
}

export const LockActions = ({ row, onClose }: { row: Row; onClose: () => void }): JSX.Element => (
  <RowActions row={row} action={mayUnlock() ? unlocking(row) : undefined} onClose={onClose} />
);

export const EndLocks = ({ selection }: { kind: Kind; selection: Selected }): JSX.Element | null =>
  mayUnlock() ? (
    <SelectedButton
      label={say('access_locks_end_selected')}
      selection={selection}
      each={(rows) => ({
        title: say('access_locks_end_selected_title', { count: rows.length }),
        text: say('access_unlock_text'),
        label: say('access_unlock'),
        items: rows.map((row) => ({
          name: String(row.user ?? row.network ?? ''),
          sending: unlocking(row).sending,
        })),
        changes,
      })}
    />
  ) : null;
