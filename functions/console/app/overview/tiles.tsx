import type { JSX } from 'preact';
import { countText } from '../../../../shared/web/text/numbers.ts';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { Ring, Sparkline, Tile } from '../../../../shared/web/ui/figures/figures.tsx';
import { say } from '../texts.ts';
import { type Counters, type Curves, type Dashboard, isMissing, itemsOf } from './dashboard.ts';
import { needsAttention, type SiteView } from './fleet.ts';
import classes from './overview.module.css';

type TilesProps = { dashboard: Dashboard; curves: Curves; views: readonly SiteView[] };

/** The figures of all sites. */
export function Tiles({ dashboard, curves, views }: TilesProps): JSX.Element {
  const { counters, failed_logins_24h: failed } = dashboard;
  if (isMissing(counters)) return <Notice tone="bad" title={say('part_failed', { code: counters.error })} />;
  return (
    <ul class={classes.tiles} aria-label={say('figures')}>
      <FailingSites counters={counters} views={views} />
      <Nodes counters={counters} dashboard={dashboard} />
      <Workplaces counters={counters} />
      <Tile label={say('sessions')} value={countText(counters.sessions)} hint={say('sessions_hint')}>
        {curves.sessions.length > 0 && <Sparkline label={say('curve')} values={curves.sessions} />}
      </Tile>
      <Gateways dashboard={dashboard} />
      <Tile
        label={say('portal_sessions')}
        value={countText(counters.admin_sessions + counters.user_sessions)}
        hint={say('portal_sessions_hint', { admin: counters.admin_sessions, user: counters.user_sessions })}
      />
      {typeof failed === 'number' && (
        <Tile label={say('failed_logins')} value={countText(failed)} hint={say('failed_logins_hint')}>
          {curves.failed_logins.length > 0 && (
            <Sparkline label={say('curve')} values={curves.failed_logins} />
          )}
        </Tile>
      )}
    </ul>
  );
}

const FailingSites = ({
  counters,
  views,
}: {
  counters: Counters;
  views: readonly SiteView[];
}): JSX.Element => {
  const failing = views.filter(({ state }) => needsAttention(state)).length;
  return (
    <Tile
      label={say('failing_sites')}
      value={countText(failing)}
      hint={say('failing_sites_hint', { sites: counters.sites, farms: counters.farms })}
      isBad={failing > 0}
    />
  );
};

/** Disabled nodes and those of disabled farms are not probed, and do not count. */
function Nodes({ dashboard, counters }: { dashboard: Dashboard; counters: Counters }): JSX.Element {
  const sites = itemsOf(dashboard.sites);
  const up = sites.reduce((sum, { dispatchers_up }) => sum + dispatchers_up, 0);
  const all = sites.reduce((sum, { dispatchers }) => sum + dispatchers, 0);
  const percent = all > 0 ? Math.round((100 * up) / all) : 0;
  return (
    <Tile
      label={say('passing_nodes')}
      value={countText(up)}
      hint={say('passing_nodes_hint', { all, disabled: counters.dispatchers - all })}
    >
      <Ring label={say('percent', { percent })} value={up} max={all} isBad={up < all} />
    </Tile>
  );
}

function Workplaces({
  counters: { workplaces, workplaces_in_use: used },
}: {
  counters: Counters;
}): JSX.Element {
  const percent = workplaces > 0 ? Math.round((100 * used) / workplaces) : 0;
  return (
    <Tile
      label={say('workplaces_in_use')}
      value={countText(used)}
      hint={say('workplaces_hint', { all: workplaces })}
    >
      <Ring label={say('percent', { percent })} value={used} max={workplaces} />
    </Tile>
  );
}

/** Absent in an installation without gateways. */
function Gateways({ dashboard }: { dashboard: Dashboard }): JSX.Element | null {
  const gateways = itemsOf(dashboard.gateways);
  if (gateways.length === 0) return null;
  const online = gateways.filter(({ state }) => state === 'online').length;
  const tunnels = gateways.reduce((sum, { connections }) => sum + connections, 0);
  return (
    <Tile
      label={say('gateways_online')}
      value={countText(online)}
      hint={say('gateways_hint', { all: gateways.length, tunnels })}
    />
  );
}
