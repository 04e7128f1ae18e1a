import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import type { Card } from '../services/cards.ts';
import { useRefresh } from '../services/use-services.ts';
import { say } from '../texts.ts';

type LogOffDialogProps = { card: Card; onClose: () => void };

/** Asks before the open sessions of a workplace are ended, because unsaved work is lost. */
export function LogOffDialog({ card, onClose }: LogOffDialogProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const refresh = useRefresh();
  const logOff = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await endSessions(card);
      toast(say('logged_off', { name: card.service.name }));
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
    await refresh(card.site);
  };
  return (
    <Dialog
      title={say('log_off_title', { name: card.service.name })}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="danger" busy={isBusy} onClick={logOff}>
            {say('log_off')}
          </Button>
        </>
      }
    >
      <p>{say('log_off_text')}</p>
      {problem && <ProblemNotice problem={problem} about="session" />}
    </Dialog>
  );
}

async function endSessions({ site, service }: Card): Promise<void> {
  for (const { session_uuid, farm_id } of service.sessions)
    await portal.call('session.end', { path: { site_uri: site.uri, session_uuid }, body: { farm_id } });
}
