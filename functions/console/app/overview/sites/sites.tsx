import type { JSX } from 'preact';
import { LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Empty, Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { maySetUp, setupAddress } from '../../setup/entry.ts';
import { say } from '../../texts.ts';
import { type Dashboard, isMissing } from '../dashboard.ts';
import { needsAttention, type SiteView } from '../fleet.ts';
import { SiteCard } from './site-card.tsx';
import classes from './sites.module.css';

/** With so few sites all of them are open at first. */
const fewSites = 3;

/** Sites that need no attention take less room. */
const groups = [
  ['failing', classes.grid],
  ['others', `${classes.grid} ${classes.dense}`],
] as const;

type SitesProps = { dashboard: Dashboard; views: readonly SiteView[]; shown: readonly SiteView[] };

/** The sites of the filter as cards. */
export function Sites({ dashboard, views, shown }: SitesProps): JSX.Element {
  const { sites, generated_at } = dashboard;
  if (isMissing(sites)) return <Notice tone="bad" title={say('part_failed', { code: sites.error })} />;
  const missing = [dashboard.farms, dashboard.nodes, dashboard.gateways].find(isMissing);
  return (
    <>
      {missing && <Notice tone="bad" title={say('part_failed', { code: missing.error })} />}
      <Unshown dashboard={dashboard} shown={views.length} />
      {groups.map(([name, style]) => (
        <div key={name} class={style}>
          {shown
            .filter(({ state }) => needsAttention(state) === (name === 'failing'))
            .map((view) => (
              <SiteCard
                key={view.site.id}
                view={view}
                now={Date.parse(generated_at)}
                isOpenAtFirst={views.length <= fewSites}
              />
            ))}
        </div>
      ))}
      {views.length === 0 && (
        <Empty icon="overview" title={say('no_sites')}>
          <p>{say(maySetUp() ? 'setup_first_hint' : 'no_sites_hint')}</p>
          {maySetUp() && <LinkButton href={setupAddress}>{say('setup_title')}</LinkButton>}
        </Empty>
      )}
      {views.length > 0 && shown.length === 0 && <Empty icon="search" title={say('no_match')} />}
    </>
  );
}

/** The overview is bounded: a very large installation is not shown completely. */
function Unshown({ dashboard, shown }: { dashboard: Dashboard; shown: number }): JSX.Element | null {
  const { counters, nodes } = dashboard;
  if (isMissing(counters)) return null;
  const hidden = {
    sites: counters.sites - shown,
    nodes: Array.isArray(nodes) ? counters.dispatchers - nodes.length : 0,
  };
  if (hidden.sites <= 0 && hidden.nodes <= 0) return null;
  return <Notice tone="info" title={say('not_all_shown', hidden)} />;
}
