import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Sending } from '../../../../../shared/web/client/request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { allowed, titleOf } from '../../records/kinds.ts';
import { pathValues, type RecordState, type Target, writeOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { BindButton } from './bind-dialog.tsx';
import { type UserAccess, useAccess } from './use-access.ts';

/** Lists and pages that show users. */
const shown = ['user', 'portalUser', 'lockOut', 'loginSession', 'issuedToken'] as const;

/** A change of the user. Another change meanwhile does not matter for these members. */
function patch({ kind, parents, id }: Target, body: object): Sending {
  if (!kind.update) throw new Error('users can be changed');
  return writeOf({ verb: kind.update, path: pathValues(kind, parents, id), body });
}

export const unlocking = (target: Target, name: string): Confirmation => ({
  title: say('access_unlock_title', { name }),
  text: say('access_unlock_text'),
  label: say('access_unlock'),
  sending: patch(target, { locked_until: null }),
  done: say('access_unlocked', { name }),
  changes: shown,
});

const disabling = (target: Target, name: string, access: UserAccess | undefined): Confirmation => ({
  title: say('access_disable_title', { name }),
  text: say('access_disable_text', {
    sessions: access?.sessions.total ?? 0,
    tokens: access?.tokens.total ?? 0,
  }),
  label: say('access_disable'),
  sending: patch(target, { state: 'inactive' }),
  done: say('access_disabled', { name }),
  changes: shown,
  isDangerous: true,
});

const enabling = (target: Target, name: string): Confirmation => ({
  title: say('access_enable_title', { name }),
  text: say('access_enable_text'),
  label: say('access_enable'),
  sending: patch(target, { state: 'active' }),
  done: say('access_enabled', { name }),
  changes: shown,
});

const resetting = (target: Target, name: string): Confirmation => ({
  title: say('access_reset_factor_title', { name }),
  text: say('access_reset_factor_text'),
  label: say('access_reset_factor'),
  sending: patch(target, { two_factor_enrolled: false }),
  done: say('access_factor_reset', { name }),
  changes: shown,
  isDangerous: true,
});

type UserActionsProps = { target: Target; state: RecordState };

/** Buttons for what a form does not do: each has consequences that its question names. */
export function UserActions({ target, state }: UserActionsProps): JSX.Element | null {
  const { data: access } = useAccess(target.id);
  const [asked, ask] = useState<Confirmation>();
  const { row } = state;
  const name = titleOf(target.kind, row);
  // The portal refuses these changes of the own account.
  const isOther = access?.is_self === false;
  if (!allowed(target.kind.update)) return null;
  return (
    <>
      {access?.binding === 'unbound' && (
        <BindButton
          domainId={target.parents.auth_uuid ?? ''}
          users={[{ id: target.id, name }]}
          access={access}
        />
      )}
      {row.two_factor_enrolled === true && isOther && (
        <Button look="plain" onClick={() => ask(resetting(target, name))}>
          {say('access_reset_factor')}
        </Button>
      )}
      {row.state === 'inactive' && (
        <Button look="plain" onClick={() => ask(enabling(target, name))}>
          {say('access_enable')}
        </Button>
      )}
      {row.state === 'active' && isOther && (
        <Button look="plain" onClick={() => ask(disabling(target, name, access))}>
          {say('access_disable')}
        </Button>
      )}
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </>
  );
}
