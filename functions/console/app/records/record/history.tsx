import { useInfiniteQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { filledPath } from '../../../../../shared/web/client/request.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { momentText } from '../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import { ActorBadge, NameBadge } from '../fields/person-badges.tsx';
import { allowed, type Row } from '../kinds.ts';
import { pathValues, type RecordState, readPage, type Target } from '../requests.ts';
import { Changes } from './changes.tsx';
import classes from './record.module.css';
import { RestoreDialog } from './restore-dialog.tsx';
import type { Version } from './version.ts';

type HistoryProps = { target: Target; state: RecordState };

/** The versions of a record, the newest first, each with its differences. */
export function History({ target, state }: HistoryProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class={classes.card} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{say('history')}</summary>
      {isOpen && <Versions target={target} state={state} />}
    </details>
  );
}

function useVersions({ kind, parents, id }: Target) {
  const path = filledPath(kind.history?.list.path ?? '', pathValues(kind, parents, id));
  return useInfiniteQuery({
    queryKey: ['history', kind.type, id],
    queryFn: ({ pageParam, signal }) => readPage(path, { limit: '20', cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function Versions({ target, state }: HistoryProps): JSX.Element {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useVersions(target);
  const [restored, setRestored] = useState<Version>();
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="6rem" />;
  const versions = data.pages.flatMap(({ items }) => items.map(versionOf));
  return (
    <>
      {versions.length === 0 && <p class={classes.quiet}>{say('no_history')}</p>}
      <ol class={classes.versions}>
        {versions.map((version, at) => (
          <li key={version.version}>
            <VersionItem
              target={target}
              version={version}
              {...(at > 0 && { onRestore: () => setRestored(version) })}
            />
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button look="plain" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {say('show_more')}
        </Button>
      )}
      {restored && (
        <RestoreDialog
          target={target}
          state={state}
          version={restored}
          onClose={() => setRestored(undefined)}
        />
      )}
    </>
  );
}

const versionOf = (row: Row): Version => row as unknown as Version;

type VersionItemProps = { target: Target; version: Version; onRestore?: () => void };

const VersionItem = ({
  target: { kind },
  version: { at, actor, user, domain, action, changes },
  onRestore,
}: VersionItemProps): JSX.Element => (
  <>
    <div class={classes.version}>
      <b>{say(`action_${action}`)}</b>
      <time dateTime={at}>{momentText(at)}</time>
      <span class={classes.quiet}>
        {[user ?? '–', domain].filter(Boolean).join(' @ ')}
        <NameBadge name={user} />
        <ActorBadge actor={actor} />
      </span>
      {onRestore && action !== 'deleted' && allowed(kind.history?.restore) && (
        <Button look="quiet" onClick={onRestore}>
          {say('restore')}
        </Button>
      )}
    </div>
    {changes.length > 0 && <Changes kind={kind} changes={changes} />}
  </>
);
