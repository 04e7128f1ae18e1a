import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { agoText } from '../../../../../shared/web/text/moments.ts';
import { programOf } from '../../../../../shared/web/text/programs.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { allowed, titleOf } from '../../records/kinds.ts';
import type { RecordState, Target } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { type Confirmation, ConfirmDialog } from '../parts/confirm-dialog.tsx';
import classes from '../parts/parts.module.css';
import type { LoginSession, UserAccess } from './use-access.ts';

type SessionsCardProps = { target: Target; state: RecordState; access: UserAccess };

/** Where the user is signed in. */
export function SessionsCard({ target, state, access: { sessions } }: SessionsCardProps): JSX.Element {
  const [asked, ask] = useState<Confirmation>();
  const canEnd = allowed(target.kind.update) !== undefined;
  const { items, total } = sessions;
  return (
    <section class={classes.card}>
      <div class={classes.head}>
        <h2>{say('access_sessions_title')}</h2>
        {canEnd && total > 1 && (
          <Button look="plain" onClick={() => ask(endingAll(target, titleOf(target.kind, state.row)))}>
            {say('access_sessions_end')}
          </Button>
        )}
      </div>
      {total === 0 && <p class={classes.quiet}>{say('access_sessions_none')}</p>}
      <ul class={classes.list}>
        {items.map((session) => (
          <li key={session.id}>
            <Session session={session} />
            {canEnd && (
              <Button
                look="plain"
                aria-label={say('access_session_end_name', { ip: session.source_ip })}
                onClick={() => ask(ending(session))}
              >
                {say('access_session_end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {total > items.length && (
        <a href={addressOf(['loginSession'], { user: target.id })}>
          {say('access_sessions_all', { count: total })}
        </a>
      )}
      {asked && <ConfirmDialog {...asked} onClose={() => ask(undefined)} />}
    </section>
  );
}

const Session = ({ session }: { session: LoginSession }): JSX.Element => (
  <div>
    <p>
      {[say(`access_portal_${session.portal}`), session.user_agent && programOf(session.user_agent)]
        .filter(Boolean)
        .join(', ')}
    </p>
    <p class={classes.quiet}>
      {say('access_session_facts', {
        ip: session.source_ip,
        start: agoText(session.created_at),
        used: agoText(session.last_seen_at),
      })}
    </p>
  </div>
);

const changes = ['loginSession', 'userSession'] as const;

export const ending = ({ id }: Pick<LoginSession, 'id'>): Confirmation => ({
  title: say('access_session_end_title'),
  text: say('access_session_end_text'),
  label: say('access_session_end'),
  sending: { method: 'DELETE', path: filledPath('/api/webui/aggregator/login-sessions/{id}', { id }) },
  done: say('access_session_ended'),
  changes,
  isDangerous: true,
});

const userPath = '/api/webui/aggregator/authenticators/{auth_uuid}/users/{uuid}';

const endingAll = ({ parents, id }: Target, name: string): Confirmation => ({
  title: say('access_sessions_end_title', { name }),
  text: say('access_sessions_end_text'),
  label: say('access_sessions_end'),
  sending: { method: 'DELETE', path: filledPath(`${userPath}/sessions`, { ...parents, uuid: id }) },
  done: say('access_sessions_ended', { name }),
  changes,
  isDangerous: true,
});
