import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../client/portal-client.ts';
import { portal } from '../client/session.ts';
import { problemOf } from '../problems/problem.ts';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { agoText, momentText } from '../text/moments.ts';
import { programOf } from '../text/programs.ts';
import { Button } from '../ui/controls/button.tsx';
import { Badge, Skeleton } from '../ui/feedback/feedback.tsx';
import classes from './account.module.css';
import { EndDialog } from './end-dialog.tsx';
import { say } from './texts.ts';

type Session = Operations['userinfo.listSessions']['answer']['items'][number];

export const sessionsKey = ['own', 'session'];

const useSessions = () =>
  useInfiniteQuery({
    queryKey: sessionsKey,
    queryFn: ({ pageParam }) =>
      portal.call('userinfo.listSessions', {
        query: { limit: 50, sort: '-last_seen_at', ...(pageParam !== null && { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** Where the user is signed in. Each other session can be ended, and all of them at once. */
export function Sessions(): JSX.Element {
  const client = useQueryClient();
  const [asked, ask] = useState<Session | 'others'>();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useSessions();
  const sessions = data?.pages.flatMap(({ items }) => items);
  if (error && !sessions) return <ProblemNotice problem={problemOf(error)} />;
  if (!sessions) return <Skeleton height="8rem" />;
  return (
    <>
      <ul class={classes.list}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => ask(session)} />
        ))}
      </ul>
      {error && <ProblemNotice problem={problemOf(error)} />}
      <div class={classes.buttons}>
        {hasNextPage && (
          <Button look="plain" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {say('account_sessions_more')}
          </Button>
        )}
        {(hasNextPage || sessions.some(({ current }) => !current)) && (
          <Button look="danger" onClick={() => ask('others')}>
            {say('account_end_others')}
          </Button>
        )}
      </div>
      {asked && (
        <EndDialog
          {...(asked !== 'others' && { session: { id: asked.id, name: nameOf(asked) } })}
          onClose={() => ask(undefined)}
          onEnded={() => client.invalidateQueries({ queryKey: sessionsKey })}
        />
      )}
    </>
  );
}

const nameOf = ({ user_agent, platform }: Session): string =>
  user_agent === '' ? platform || say('account_program_unknown') : programOf(user_agent);

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }): JSX.Element {
  const { source_ip, created_at, last_seen_at, current } = session;
  const name = nameOf(session);
  return (
    <li>
      <div>
        <p>{name}</p>
        <p class={classes.quiet}>
          {say('account_session_used', { ip: source_ip, used: agoText(last_seen_at) })}
        </p>
        <p class={classes.quiet}>{say('account_session_since', { start: momentText(created_at) })}</p>
      </div>
      {current ? (
        <Badge tone="good">{say('account_this_session')}</Badge>
      ) : (
        <Button
          look="danger"
          aria-label={say('account_end_session_name', { name, ip: source_ip })}
          onClick={onEnd}
        >
          {say('account_end_session')}
        </Button>
      )}
    </li>
  );
}
