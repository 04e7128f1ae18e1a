import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { allowed, titleOf } from '../../records/kinds.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';
import type { UserAccess } from './use-access.ts';
import { unlocking } from './user-actions.tsx';

type UserNoticesProps = { target: Target; state: RecordState; access: UserAccess };

/** What prevents the user from signing in, and what can be done about it. */
export function UserNotices({ target, state, access }: UserNoticesProps): JSX.Element | null {
  const { refusals, locks, must_change_password } = access;
  if (refusals.length + locks.length === 0 && !must_change_password) return null;
  return (
    <div class={classes.notices}>
      {refusals.length > 0 && (
        <Notice tone="warn" title={say('access_refused_title')}>
          {refusals.map((reason) => (
            <p key={reason}>{say(`access_refusal_${reason}`)}</p>
          ))}
        </Notice>
      )}
      {locks.length > 0 && <LockNotice target={target} state={state} locks={locks} />}
      {must_change_password && <Notice tone="info" title={say('access_must_change')} />}
    </div>
  );
}

type LockNoticeProps = { target: Target; state: RecordState; locks: UserAccess['locks'] };

function LockNotice({ target, state, locks }: LockNoticeProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [first, ...others] = locks.map(lockText);
  return (
    <Notice tone="bad" title={first ?? ''}>
      {others.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p>{say('access_locked_text')}</p>
      {allowed(target.kind.update) && (
        <Button look="plain" onClick={() => setAsking(true)}>
          {say('access_unlock')}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          {...unlocking(target, titleOf(target.kind, state.row))}
          onClose={() => setAsking(false)}
        />
      )}
    </Notice>
  );
}

const lockText = ({ network, locked_until }: UserAccess['locks'][number]): string => {
  const time = momentText(locked_until);
  return network === null
    ? say('access_locked_everywhere', { time })
    : say('access_locked_network', { network, time });
};
