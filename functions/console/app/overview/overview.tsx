import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { PortalError } from '../../../../shared/client/portal-client.ts';
import { useSessionState } from '../../../../shared/web/frame/use-session-state.ts';
import { preciseClockText } from '../../../../shared/web/text/moments.ts';
import { Notice, Skeleton } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../texts.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Filter, matching, sitesOf } from './fleet.ts';
import classes from './overview.module.css';
import { Panels } from './panels.tsx';
import { Sites } from './sites/sites.tsx';
import { Tiles } from './tiles.tsx';
import { everyMs, type OverviewData, useOverview } from './use-overview.ts';

/** The state of all sites of the administrator. */
export function Overview(): JSX.Element {
  const { data, error, isError, dataUpdatedAt } = useOverview();
  const hasEnded = useSessionState() !== 'valid';
  const readAt = dataUpdatedAt > 0 ? preciseClockText(new Date(dataUpdatedAt)) : undefined;
  return (
    <div class={classes.page}>
      <div class={classes.heading}>
        <h1>{say('overview')}</h1>
        {readAt !== undefined && !isError && !hasEnded && (
          <p class={classes.quiet}>{say('as_of', { time: readAt, seconds: everyMs / 1_000 })}</p>
        )}
      </div>
      <div class={classes.notices} aria-live="polite">
        {hasEnded && readAt !== undefined && (
          <Notice tone="info" title={say('data_as_of', { time: readAt })} />
        )}
        {isError && !hasEnded && <FailedRead error={error} readAt={readAt} />}
      </div>
      {data ? <Content data={data} /> : !isError && !hasEnded && <Loading />}
    </div>
  );
}

/** What was read before stays on the page, with its time. */
function FailedRead({ error, readAt }: { error: Error; readAt: string | undefined }): JSX.Element {
  if (error instanceof PortalError && error.code === 'forbidden')
    return <Notice tone="bad" title={say('forbidden')} />;
  return (
    <Notice tone="warn" title={say('no_answer')}>
      {readAt === undefined ? say('retried') : say('shown_as_of', { time: readAt })}
    </Notice>
  );
}

function Content({ data: { dashboard, curves } }: { data: OverviewData }): JSX.Element {
  const [filter, setFilter] = useState<Filter>({ text: '', onlyFailing: false });
  const views = useMemo(() => sitesOf(dashboard), [dashboard]);
  const shown = useMemo(() => matching(views, filter), [views, filter]);
  return (
    <>
      <Tiles dashboard={dashboard} curves={curves} views={views} />
      <div class={classes.columns}>
        <section class={classes.sites} aria-labelledby="sites">
          <div class={classes.heading}>
            <h2 id="sites">{say('sites')}</h2>
            <FilterBar filter={filter} onFilter={setFilter} />
          </div>
          <p class="unseen" role="status">
            {say('sites_shown', { count: shown.length })}
          </p>
          <Sites dashboard={dashboard} views={views} shown={shown} />
        </section>
        <Panels dashboard={dashboard} />
      </div>
    </>
  );
}

const Loading = (): JSX.Element => (
  <div class={classes.page}>
    <p class="unseen" role="status">
      {say('loading')}
    </p>
    <div class={classes.loadingTiles}>
      {['sites', 'nodes', 'workplaces', 'sessions'].map((name) => (
        <Skeleton key={name} height="6.5rem" />
      ))}
    </div>
    <div class={classes.columns}>
      <div class={classes.sites}>
        <Skeleton height="16rem" />
        <Skeleton height="9rem" />
      </div>
      <Skeleton height="16rem" />
    </div>
  </div>
);
