import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { useNow } from '../../../../../shared/web/text/use-now.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import type { Kind, Parents } from '../../records/kinds.ts';
import { readPage } from '../../records/requests.ts';
import { addressOf, changedQuery, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { ageText, type FarmState, sentenceOf, toneOf } from './farm-texts.ts';
import classes from './farms.module.css';

type FarmStatesProps = { kind: Kind; parents: Parents; answer: unknown };

/** Sentences about farms that are shown without a click. */
const mostShown = 3;

/** Whether the farms of the list answer, and how old their rows are. */
export function FarmStates({ kind, answer }: FarmStatesProps): JSX.Element | null {
  const now = useNow(10_000);
  const refresh = useRefresh(kind);
  const sites = sitesIn(answer).map((farm) => asRefreshed(farm, refresh.states));
  if (sites.length === 0) return <NoFarms />;
  const failing = sites.filter(({ status }) => toneOf[status] !== 'good');
  return (
    <section class={classes.farms} aria-label={say('fleet_farms')}>
      <div class={classes.line}>
        <Summary sites={sites} failing={failing} now={now} />
        <Button look="plain" busy={refresh.isBusy} onClick={() => refresh.read()}>
          {say('fleet_refresh_now')}
        </Button>
      </div>
      {refresh.problem && <ProblemNotice problem={refresh.problem} />}
      {failing.slice(0, mostShown).map((farm) => (
        <FarmNotice key={farm.farm_id} kind={kind} farm={farm} now={now} isOnly={sites.length === 1} />
      ))}
      <AllFarms kind={kind} sites={sites} now={now} />
    </section>
  );
}

const sitesIn = (answer: unknown): readonly FarmState[] =>
  (answer as { sites?: readonly FarmState[] }).sites ?? [];

/** Reads the list from the dispatchers, of all farms that are shown. */
function useRefresh(kind: Kind) {
  const client = useQueryClient();
  const { query } = usePlace();
  const { problem, isBusy, run } = useRequest();
  const [states, setStates] = useState<readonly FarmState[]>([]);
  const chosen = ['site_id', 'farm_id'].flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value]];
  });
  const read = (farm?: string) =>
    void run(async () => {
      const only = farm === undefined ? Object.fromEntries(chosen) : { farm_id: farm };
      const answer = await readPage(kind.path, {
        ...only,
        refresh: 'true',
        limit: '1',
      });
      setStates(sitesIn(answer));
      await client.invalidateQueries({ queryKey: ['list', kind.type] });
    });
  return { problem, isBusy, states, read };
}

/** A farm that was asked and did not answer in time is silent until it is read. */
function asRefreshed(farm: FarmState, states: readonly FarmState[]): FarmState {
  const refreshed = states.find(({ farm_id }) => farm_id === farm.farm_id);
  const isSilent = refreshed?.status === 'stale' && refreshed.fetched_at === farm.fetched_at;
  return isSilent && farm.status === 'ok' ? { error: 'upstream_timeout', ...refreshed } : farm;
}

type SummaryProps = { sites: readonly FarmState[]; failing: readonly FarmState[]; now: number };

function Summary({ sites, failing, now }: SummaryProps): JSX.Element {
  const [only] = sites;
  const count = sites.length;
  const good = count - failing.length;
  const oldest = sites
    .filter(({ status }) => toneOf[status] === 'good')
    .map(({ fetched_at }) => fetched_at ?? '')
    .sort()[0];
  const text =
    count === 1 && only
      ? say('fleet_farm_of', { name: only.farm_name })
      : say('fleet_farms_good', { good, count });
  return (
    <p role="status">
      <Mark tone={failing.length === 0 ? 'good' : 'warn'}>
        {text}
        {oldest && <span class={classes.quiet}> {say('fleet_data_age', { age: ageText(oldest, now) })}</span>}
      </Mark>
    </p>
  );
}

type FarmNoticeProps = { kind: Kind; farm: FarmState; now: number; isOnly: boolean };

const noticeTones = { good: 'good', bad: 'bad', warn: 'warn', off: 'warn', none: 'info' } as const;

const FarmNotice = ({ kind, farm, now, isOnly }: FarmNoticeProps): JSX.Element => (
  <Notice tone={noticeTones[toneOf[farm.status]]} title={sentenceOf(farm, now)}>
    {isOnly ? undefined : <OnlyLink kind={kind} farm={farm} />}
  </Notice>
);

/** Limits the list to a farm. The other filters stay. */
function OnlyLink({ kind, farm }: { kind: Kind; farm: FarmState }): JSX.Element {
  const { query } = usePlace();
  return (
    <a href={addressOf([kind.type], changedQuery(query, { farm_id: farm.farm_id }))}>
      {say('fleet_only')}
      <span class="unseen">: {farm.farm_name}</span>
    </a>
  );
}

type AllFarmsProps = { kind: Kind; sites: readonly FarmState[]; now: number };

/** Each farm with its state, for those who look for one. */
function AllFarms({ kind, sites, now }: AllFarmsProps): JSX.Element | null {
  const { query } = usePlace();
  if (sites.length === 1)
    return query.get('farm_id') ? (
      <p>
        <a href={addressOf([kind.type], changedQuery(query, { farm_id: undefined }))}>
          {say('fleet_all_farms')}
        </a>
      </p>
    ) : null;
  return (
    <details>
      <summary>{say('fleet_each_farm', { count: sites.length })}</summary>
      <ul class={classes.each}>
        {sites.map((farm) => (
          <li key={farm.farm_id}>
            <Mark tone={toneOf[farm.status]}>
              {farm.farm_name} <span class={classes.quiet}>({farm.site_name})</span>
            </Mark>
            <span class={classes.quiet}>{sentenceOf(farm, now)}</span>
            <OnlyLink kind={kind} farm={farm} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Without farms all three lists are empty, and filters do not help. */
function NoFarms(): JSX.Element | null {
  const { query } = usePlace();
  if (query.get('farm_id') || query.get('site_id')) return null;
  return (
    <Notice tone="info" title={say('fleet_no_farms')}>
      {say('fleet_no_farms_next')} <a href={addressOf(['farm'])}>{say('fleet_to_farms')}</a>
    </Notice>
  );
}
