import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageFacts } from '../client/facts.ts';
import type { SessionState } from '../client/session-state.ts';
import { frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Notice } from '../ui/feedback/feedback.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import classes from './frame.module.css';
import { useSessionState } from './use-session-state.ts';

type Interruption = Exclude<SessionState, 'valid'>;

/** Opens the sign-in page, which leads back to the same place. The part after `#` stays in the browser. */
const signInAgain = (): void =>
  location.assign(`/signin?next=${encodeURIComponent(location.pathname)}${location.hash}`);

const buttons: Readonly<Record<Interruption, () => JSX.Element>> = {
  ended: () => <Button onClick={signInAgain}>{frameText('sign_in_again')}</Button>,
  foreign: () => <Button onClick={() => location.reload()}>{frameText('load_again')}</Button>,
};

/**
 * Says that the session has ended, or that another user has signed in in this browser. The page stays as it is behind the
 * dialog, so that nothing typed is lost, and sends nothing as the other user. A closed dialog leaves a notice. Both
 * disappear when the user has signed in again in another tab.
 */
export function SessionNotice({ facts: { user } }: { facts: PageFacts }): JSX.Element | null {
  const state = useSessionState();
  const [isNoted, setNoted] = useState(false);
  useEffect(() => setNoted(false), [state]);
  if (state === 'valid') return null;
  const title = frameText(`${state}_title`);
  const text = frameText(`${state}_text`, { name: user.name });
  const ActionButton = buttons[state];
  if (isNoted)
    return (
      <div class={classes.ended}>
        <Notice tone="warn" title={title} actions={<ActionButton />}>
          {text}
        </Notice>
      </div>
    );
  return (
    <Dialog key={state} title={title} onClose={() => setNoted(true)} actions={<ActionButton />}>
      <p>{text}</p>
    </Dialog>
  );
}
