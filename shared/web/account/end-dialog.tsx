import type { JSX } from 'preact';
import { portal } from '../client/session.ts';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { useRequest } from '../problems/use-request.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { toast } from '../ui/overlays/toasts.tsx';
import { say } from './texts.ts';

type EndDialogProps = {
  /** Default: all sessions other than this one. */
  session?: { id: string; name: string };
  onClose: () => void;
  onEnded: () => Promise<void>;
};

/** Asks before one or all other sessions end. */
export function EndDialog({ session, onClose, onEnded }: EndDialogProps): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  const end = () =>
    run(async () => {
      if (session) await portal.call('userinfo.endSession', { path: { id: session.id } });
      else await portal.call('userinfo.endOtherSessions');
      toast(session ? say('account_session_ended', { name: session.name }) : say('account_others_ended'));
      onClose();
      await onEnded();
    });
  return (
    <Dialog
      title={session ? say('account_end_title', { name: session.name }) : say('account_end_others_title')}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="danger" busy={isBusy} onClick={end}>
            {say(session ? 'account_end_session' : 'account_end_others')}
          </Button>
        </>
      }
    >
      <p>{say(session ? 'account_end_text' : 'account_end_others_text')}</p>
      {problem && <ProblemNotice problem={problem} about="own_session" />}
    </Dialog>
  );
}
