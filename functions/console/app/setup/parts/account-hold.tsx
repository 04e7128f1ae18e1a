import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import type { Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';

type Hold = NonNullable<Operations['dispatcher.get']['answer']['account_hold']>;

/** Why the account of the portal on a node is not tried, with a button that ends the pause. */
export function AccountHold({ target: { id, kind }, hold }: { target: Target; hold: Hold }): JSX.Element {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const retry = () =>
    run(async () => {
      await portal.call('dispatcher.retryAccount', { path: { id } });
      toast(say('setup_hold_retried'));
      await forgetKind(client, kind.type);
    });
  return (
    <>
      <Notice
        tone="bad"
        title={say(hold.reason === 'paused' ? 'setup_hold_paused' : 'setup_hold_refused')}
        actions={
          <Button look="plain" busy={isBusy} onClick={retry}>
            {say('setup_hold_retry')}
          </Button>
        }
      >
        {say('setup_hold_until', { since: momentText(hold.since), until: momentText(hold.until) })}
      </Notice>
      {problem && <ProblemNotice problem={problem} />}
    </>
  );
}
