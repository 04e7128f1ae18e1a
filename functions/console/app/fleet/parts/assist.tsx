import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../../shared/web/client/session.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { durationText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { allowed, type Kind, type Row } from '../../records/kinds.ts';
import { say } from '../../texts.ts';

type Link = { url: string; expires_in: number };

/** A link to the remote assistant of the session, for the administrator who asked for it. */
export function Assist({ kind, row }: { kind: Kind; row: Row }): JSX.Element | null {
  const verb = allowed(kind.actions.find(({ id }) => id === 'spsession.assist'));
  const { problem, isBusy, run } = useRequest();
  const [link, setLink] = useState<Link>();
  if (!verb) return null;
  const ask = () =>
    run(async () => {
      const path = { id: String(row.farm_id), session_uuid: String(row.session_uuid) };
      setLink(await portal.call('spsession.assist', { path }));
    });
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      {link ? (
        <Notice
          tone="info"
          title={say('fleet_assist_ready', { time: durationText(link.expires_in * 1_000) })}
          isAlert={true}
        >
          <a href={link.url} target="_blank" rel="noreferrer">
            {say('fleet_assist_open')}
          </a>
        </Notice>
      ) : (
        <div>
          <Button look="plain" busy={isBusy} onClick={ask}>
            {verb.label}
          </Button>
        </div>
      )}
    </>
  );
}
