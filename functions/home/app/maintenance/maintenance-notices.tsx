import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { dayTimeText, untilText } from '../../../../shared/web/text/moments.ts';
import { IconButton } from '../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../texts.ts';
import type { Announcement } from './announcements.ts';
import { dismiss, dismissedKeys } from './dismissals.ts';

type MaintenanceNoticesProps = { announcements: readonly Announcement[]; now: number };

/** Maintenance above the cards. An announcement can be dismissed until the maintenance begins. */
export function MaintenanceNotices({ announcements, now }: MaintenanceNoticesProps): JSX.Element {
  const [dismissed, setDismissed] = useState(dismissedKeys);
  const shown = announcements.filter(({ hasBegun, key }) => hasBegun || !dismissed.includes(key));
  return (
    <>
      {shown.map((one) => (
        <MaintenanceNotice
          key={`${one.key} ${one.hasBegun}`}
          {...{ one, now }}
          onDismiss={() => setDismissed(dismiss(one.key))}
        />
      ))}
    </>
  );
}

type MaintenanceNoticeProps = { one: Announcement; now: number; onDismiss: () => void };

const MaintenanceNotice = ({ one, now, onDismiss }: MaintenanceNoticeProps): JSX.Element => (
  <Notice
    tone={one.hasBegun ? 'warn' : 'info'}
    title={titleOf(one, now)}
    isAlert={one.hasBegun}
    actions={
      !one.hasBegun && <IconButton icon="close" label={say('maintenance_dismiss')} onClick={onDismiss} />
    }
  >
    {[adviceOf(one), one.message].filter(Boolean).join('\n')}
  </Notice>
);

function titleOf({ name, startsAt, endsAt, hasBegun }: Announcement, now: number): string {
  if (hasBegun || startsAt === null)
    return endsAt === null
      ? say('maintenance_now', { name })
      : say('maintenance_until', { name, end: dayTimeText(endsAt, now) });
  const values = { name, start: dayTimeText(startsAt, now), in: untilText(startsAt, now) };
  if (endsAt === null) return say('maintenance_from', values);
  return say('maintenance_between', { ...values, end: dayTimeText(endsAt, Date.parse(startsAt)) });
}

function adviceOf({ hasBegun, isBlocking }: Announcement): string {
  if (!hasBegun) return say('maintenance_save');
  return say(isBlocking ? 'maintenance_blocked' : 'maintenance_open');
}
