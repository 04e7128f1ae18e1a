import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { portal } from '../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { agoText } from '../../../../shared/web/text/moments.ts';
import { programOf } from '../../../../shared/web/text/programs.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Badge, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../texts.ts';
import classes from './account.module.css';

const key = ['sessions'];

/** Where the user is signed in, each with a button that ends the session. */
export function Sessions(): JSX.Element {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => portal.call('userinfo.listSessions', { query: { limit: 50 } }),
  });
  const { mutate, isPending } = useMutation({
    mutationFn: (id: string) => portal.call('userinfo.endSession', { path: { id } }),
    onError: () => toast(say('not_stored'), { isFault: true }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
  if (error) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="8rem" />;
  return (
    <ul class={classes.list}>
      {data.items.map(({ id, user_agent, source_ip, last_seen_at, current }) => (
        <li key={id}>
          <div>
            <p>{programOf(user_agent)}</p>
            <p class={classes.quiet}>
              {source_ip}, {agoText(last_seen_at)}
            </p>
          </div>
          {current ? (
            <Badge tone="good">{say('this_session')}</Badge>
          ) : (
            <Button look="danger" busy={isPending} onClick={() => mutate(id)}>
              {say('end_session')}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
