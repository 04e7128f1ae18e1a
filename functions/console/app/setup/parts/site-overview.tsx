import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { durationText, momentText } from '../../../../../shared/web/text/moments.ts';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Meter } from '../../../../../shared/web/ui/figures/figures.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { may } from '../../facts.ts';
import { stateText, tones, troublesOf } from '../../overview/words.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';
import { type SiteState, useSiteState } from '../site-state.ts';
import { SiteRules } from './site-rules.tsx';

const everyMs = 30_000;

/** Capacity, farms with their nodes, maintenance and rules of a site. */
export function SiteOverview({ id }: { id: string }): JSX.Element {
  const { data, error } = useSiteState(id, everyMs);
  if (error !== null && !data) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="14rem" />;
  return (
    <div class={classes.columns}>
      <section class={classes.card} aria-labelledby="site-farms">
        <h2 id="site-farms">{say('setup_farms')}</h2>
        {data.site && <Capacity site={data.site} />}
        {data.farms.length === 0 ? <NoFarms site={id} /> : <Tree state={data} />}
      </section>
      <section class={classes.card} aria-labelledby="site-maintenance">
        <h2 id="site-maintenance">{say('maintenance')}</h2>
        <MaintenanceList state={data} />
      </section>
      {may(['rules.read']) && <SiteRules id={id} />}
    </div>
  );
}

const Capacity = ({ site }: { site: NonNullable<SiteState['site']> }): JSX.Element => (
  <div class={classes.meters}>
    <Meter
      label={say('passing_nodes')}
      value={site.dispatchers_up}
      max={site.dispatchers}
      text={say('part_of', { part: site.dispatchers_up, all: site.dispatchers })}
    />
    <Meter
      label={say('in_use')}
      value={site.in_use}
      max={site.workplaces}
      text={say('part_of', { part: site.in_use, all: site.workplaces })}
    />
  </div>
);

const Tree = ({ state: { farms, nodes, generatedAt } }: { state: SiteState }): JSX.Element => (
  <ul class={classes.tree}>
    {farms.map((farm) => (
      <li key={farm.id}>
        <div class={classes.line}>
          <a href={addressOf(['farm', farm.id])}>{farm.name}</a>
          <Mark tone={tones[farm.state]}>{stateText(farm.state)}</Mark>
          <span class={classes.quiet}>{ageText(farm.fetched_at, generatedAt)}</span>
        </div>
        <ul>
          {nodes
            .filter(({ farm_id }) => farm_id === farm.id)
            .map((node) => (
              <li key={node.id} class={classes.line}>
                <a href={addressOf(['dispatcher', node.id])}>{node.name}</a>
                <Mark tone={tones[node.state]}>{stateText(node.state)}</Mark>
                {troublesOf(node).map((trouble) => (
                  <span key={trouble} class={classes.quiet}>
                    {trouble}
                  </span>
                ))}
              </li>
            ))}
        </ul>
      </li>
    ))}
  </ul>
);

const ageText = (fetchedAt: string | null, now: string): string =>
  fetchedAt === null
    ? say('no_data')
    : say('data_age', { age: durationText(Date.parse(now) - Date.parse(fetchedAt)) });

const NoFarms = ({ site }: { site: string }): JSX.Element => (
  <Empty icon="records" title={say('no_farms')}>
    {may(['farms.create']) && (
      <LinkButton href={addressOf(['farm', 'new'], { site_id: site })}>{say('setup_create_farm')}</LinkButton>
    )}
  </Empty>
);

/** Maintenance in effect first, then what is planned. */
function MaintenanceList({ state: { maintenance } }: { state: SiteState }): JSX.Element {
  if (maintenance.length === 0) return <p class={classes.quiet}>{say('setup_no_maintenance')}</p>;
  return (
    <ul class={classes.tree}>
      {maintenance.map(({ object_type, object_id, object_name, in_effect, start_at, end_at }) => (
        <li key={`${object_type} ${object_id}`} class={classes.line}>
          <Mark tone={in_effect ? 'warn' : 'none'}>
            {say(`maintenance_${object_type}`, { name: object_name })}
          </Mark>
          <span class={classes.quiet}>
            {[
              start_at !== null && say('setup_from', { time: momentText(start_at) }),
              end_at === null ? say('setup_no_end') : say('setup_until', { time: momentText(end_at) }),
            ]
              .filter(Boolean)
              .join(' ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
