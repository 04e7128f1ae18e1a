import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Operations } from '../../../../../shared/client/operations.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { agoText, durationText } from '../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Tile } from '../../../../../shared/web/ui/figures/figures.tsx';
import { may } from '../../facts.ts';
import type { Row } from '../../records/kinds.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './portals.module.css';

type NodeInfo = Operations['nodeInfo.get']['answer'];

const limitMs = 20_000;

/** Above the list of portals: offline and outdated ones, and the process that answers. */
export function PortalHead({ answer }: { answer: unknown }): JSX.Element {
  const rows = (answer as { items: Row[] }).items;
  const newest = rows
    .map(({ version }) => String(version))
    .toSorted(byVersion)
    .at(-1);
  const outdated = rows.filter(({ version, state }) => state === 'online' && version !== newest);
  const offline = rows.filter(({ state }) => state === 'offline');
  return (
    <>
      {outdated.length > 0 && (
        <Notice tone="warn" title={say('portals_outdated', { count: outdated.length })}>
          {say('portals_outdated_text', {
            names: outdated.map(({ name }) => String(name)).join(', '),
            version: newest ?? '',
          })}
        </Notice>
      )}
      {offline.length > 0 && (
        <Notice tone="info" title={say('portals_offline', { count: offline.length })}>
          <a href={addressOf(['portal'], { state: 'offline' })}>{say('portals_show_offline')}</a>{' '}
          {say('portals_offline_text')}
        </Notice>
      )}
      {may(['dashboard.read']) && <OwnProcess />}
    </>
  );
}

const byVersion = (a: string, b: string): number => a.localeCompare(b, undefined, { numeric: true });

/** The portal that answers, its database and the background jobs. */
function OwnProcess(): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['node-info', 'portal'],
    queryFn: async ({ signal }) =>
      portal.call('nodeInfo.get', {}, { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) }),
    refetchInterval: 15_000,
  });
  if (error !== null && !data) return <ProblemNotice problem={problemOf(error)} />;
  return data ? <Tiles info={data} /> : <Skeleton height="6.5rem" />;
}

const Tiles = ({
  info: { name, version, build, uptime_s, database, jobs },
}: {
  info: NodeInfo;
}): JSX.Element => (
  <ul class={classes.tiles} aria-label={say('portals_own')}>
    <Tile label={say('portals_own')} value={name} hint={say('portals_build', { version, build })} />
    <Tile label={say('portals_uptime')} value={durationText(uptime_s * 1_000)} />
    <Tile
      label={say('portals_database')}
      value={say('milliseconds', { n: countText(database.latency_ms) })}
      hint={say(`portals_database_${database.kind}`, { version: database.version })}
    />
    <Tile
      label={say('portals_sidecars')}
      value={countText(jobs.workers)}
      hint={
        jobs.workers === 0
          ? say('portals_no_sidecar')
          : say('portals_last_job', { time: jobs.last_run_at === null ? '–' : agoText(jobs.last_run_at) })
      }
      isBad={jobs.workers === 0}
    />
  </ul>
);
