import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { agoText, durationText } from '../../../../../shared/web/text/moments.ts';
import { Meter } from '../../../../../shared/web/ui/figures/figures.tsx';
import { Mark } from '../../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../../texts.ts';
import type { Gateway, Site } from '../dashboard.ts';
import { needsAttention, type SiteState, type SiteView } from '../fleet.ts';
import { gatewayState, stateText, tones } from '../words.ts';
import { NodeTable } from './node-table.tsx';
import classes from './sites.module.css';

type SiteCardProps = {
  view: SiteView;
  /** The time of the data, in milliseconds. */
  now: number;
  isOpenAtFirst: boolean;
};

const alarms: Partial<Record<SiteState, string | undefined>> = {
  fail: classes.alarm,
  degraded: classes.warning,
};

/** A site with its usage. Farms, nodes and gateways are open if one of them needs attention. */
export function SiteCard({ view, now, isOpenAtFirst }: SiteCardProps): JSX.Element {
  const { site, state } = view;
  const id = useId();
  return (
    <article class={`${classes.card} ${alarms[state] ?? ''}`} aria-labelledby={id}>
      <header class={classes.head}>
        <h3 id={id}>{site.name}</h3>
        <Mark tone={tones[state]}>{stateText(state)}</Mark>
        <span class={classes.age}>{ageText(site.fetched_at, now)}</span>
      </header>
      <Meters site={site} isServing={state !== 'maintenance' && state !== 'disabled'} />
      <Details view={view} now={now} isOpenAtFirst={isOpenAtFirst || needsAttention(state)} />
    </article>
  );
}

const ageText = (fetchedAt: string | null, now: number): string =>
  fetchedAt === null ? say('no_data') : say('data_age', { age: durationText(now - Date.parse(fetchedAt)) });

/** The nodes of a site in maintenance may fail. */
function Meters({ site, isServing }: { site: Site; isServing: boolean }): JSX.Element {
  const { dispatchers, dispatchers_up, in_use, workplaces, sessions } = site;
  return (
    <div class={classes.meters}>
      <Meter
        label={say('passing_nodes')}
        value={dispatchers_up}
        max={dispatchers}
        text={say('part_of', { part: dispatchers_up, all: dispatchers })}
        isBad={isServing && dispatchers_up < dispatchers}
      />
      <Meter
        label={say('in_use')}
        value={in_use}
        max={workplaces}
        text={say('part_of', { part: in_use, all: workplaces })}
      />
      <p class={classes.sessions}>{say('site_sessions', { count: sessions })}</p>
    </div>
  );
}

function Details({ view, now, isOpenAtFirst }: SiteCardProps): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  // A site that begins to fail is opened; the reader may close it.
  useEffect(() => {
    if (isOpenAtFirst) setOpen(true);
  }, [isOpenAtFirst]);
  const { site, rows, gateways } = view;
  const nodes = rows.filter(({ node }) => node).length;
  return (
    <details
      class={classes.details}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{say('contents', { farms: site.farms, nodes, gateways: gateways.length })}</summary>
      {isOpen && (
        <div class={classes.inner}>
          <NodeTable site={site} rows={rows} now={now} />
          {gateways.length > 0 && <Gateways gateways={gateways} now={now} />}
        </div>
      )}
    </details>
  );
}

const Gateways = ({ gateways, now }: { gateways: readonly Gateway[]; now: number }): JSX.Element => (
  <div>
    <h4>{say('gateways')}</h4>
    <ul class={classes.gateways}>
      {gateways.map((gateway) => {
        const [tone, text] = gatewayState(gateway);
        return (
          <li key={gateway.id}>
            <b>{gateway.name}</b>
            <Mark tone={tone}>{text}</Mark>
            <span class={classes.quiet}>{heartbeatText(gateway, now)}</span>
          </li>
        );
      })}
    </ul>
  </div>
);

function heartbeatText({ state, last_seen_at, connections }: Gateway, now: number): string {
  if (state === 'online') return say('tunnels', { count: connections });
  if (last_seen_at === null) return say('no_heartbeat');
  return say('last_heartbeat', { ago: agoText(last_seen_at, now) });
}
