import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../client/portal-client.ts';
import { portal } from '../../client/session.ts';
import { problemOf } from '../../problems/problem.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { agoText, dateText } from '../../text/moments.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge, Skeleton } from '../../ui/feedback/feedback.tsx';
import classes from '../account.module.css';
import { say } from '../texts.ts';
import type { Profile } from '../use-profile.ts';
import { NewToken } from './new-token.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { TokenForm } from './token-form.tsx';

type Token = Operations['userinfo.listServiceTokens']['answer']['items'][number];

const key = ['own', 'service_token'];

type Shown = { part: 'list' } | { part: 'form' } | { part: 'token'; token: string };

/** The service tokens of the user: programs use them instead of the password. */
export function Tokens({ profile }: { profile: Profile }): JSX.Element {
  const client = useQueryClient();
  const [shown, show] = useState<Shown>({ part: 'list' });
  const refresh = () => client.invalidateQueries({ queryKey: key });
  const showList = () => show({ part: 'list' });
  const onCreated = (token: string) => {
    show({ part: 'token', token });
    void refresh();
  };
  return (
    <>
      <p class={classes.quiet}>{say('account_tokens_text')}</p>
      {shown.part === 'token' && <NewToken token={shown.token} onDone={showList} />}
      <TokenList onChange={refresh} />
      {shown.part === 'form' && <TokenForm profile={profile} onCreated={onCreated} onCancel={showList} />}
      {shown.part === 'list' && (
        <div>
          <Button onClick={() => show({ part: 'form' })}>{say('token_new')}</Button>
        </div>
      )}
    </>
  );
}

function TokenList({ onChange }: { onChange: () => Promise<void> }): JSX.Element | null {
  const [chosen, choose] = useState<Token>();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) =>
      portal.call('userinfo.listServiceTokens', {
        query: { limit: 100, sort: '-created_at', ...(pageParam !== null && { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const tokens = data?.pages.flatMap(({ items }) => items);
  if (error && !tokens) return <ProblemNotice problem={problemOf(error)} />;
  if (!tokens) return <Skeleton height="4rem" />;
  if (tokens.length === 0) return null;
  return (
    <>
      <ul class={classes.list}>
        {tokens.map((token) => (
          <TokenRow key={token.id} {...{ token }} onRevoke={() => choose(token)} />
        ))}
      </ul>
      {error && <ProblemNotice problem={problemOf(error)} />}
      {hasNextPage && (
        <div>
          <Button look="plain" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {say('account_tokens_more')}
          </Button>
        </div>
      )}
      {chosen && <RevokeDialog token={chosen} onClose={() => choose(undefined)} onRevoked={onChange} />}
    </>
  );
}

function TokenRow({ token, onRevoke }: { token: Token; onRevoke: () => void }): JSX.Element {
  const { name, expires_at, last_seen_at, permissions, own } = token;
  const isOver = Date.parse(expires_at) <= Date.now();
  const facts = [
    last_seen_at === null ? say('token_unused') : say('token_used', { ago: agoText(last_seen_at) }),
    ...(isOver ? [] : [say('token_until', { date: dateText(expires_at) })]),
    ...(permissions.length > 0 ? [say('token_rights', { count: permissions.length })] : []),
    ...(own ? [] : [say('token_of_administrator')]),
  ];
  return (
    <li>
      <div>
        <p>
          {name} {isOver && <Badge tone="warn">{say('token_expired')}</Badge>}
        </p>
        <p class={classes.quiet}>{facts.join(' · ')}</p>
      </div>
      <Button look="danger" aria-label={say('token_revoke_name', { name })} onClick={onRevoke}>
        {say('token_revoke')}
      </Button>
    </li>
  );
}
