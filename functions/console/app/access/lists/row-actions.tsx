import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import type { Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmInline } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';
import { userAddress } from './user-address.ts';

type RowActionsProps = { row: Row; action: Confirmation | undefined; onClose: () => void };

/** In the dialog with a row: the way to its user, and what can be done with it. */
export function RowActions({ row, action, onClose }: RowActionsProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  if (isAsking && action)
    return <ConfirmInline action={action} onCancel={() => setAsking(false)} onDone={onClose} />;
  return (
    <div class={classes.head}>
      {typeof row.user_id === 'string' && (
        <LinkButton look="plain" href={userAddress(row)}>
          {say('access_open_user')}
        </LinkButton>
      )}
      {action && (
        <Button look="danger" onClick={() => setAsking(true)}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
