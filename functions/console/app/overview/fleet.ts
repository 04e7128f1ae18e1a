import {
  type Dashboard,
  type Farm,
  type FleetNode,
  type Gateway,
  itemsOf,
  type Site,
  type State,
} from './dashboard.ts';

/** A row of the table of a site: a node, or a farm without nodes. */
export type FleetRow = { key: string; farm: Farm; node: FleetNode | undefined };

/** A site that passes while one of its farms, nodes or gateways fails is degraded. */
export type SiteState = State | 'degraded';

export type SiteView = { site: Site; state: SiteState; rows: FleetRow[]; gateways: Gateway[] };

export type Filter = { text: string; onlyFailing: boolean };

/** The order of the page: what needs attention is first. */
const ranks: Record<SiteState, number> = {
  fail: 0,
  degraded: 1,
  maintenance: 2,
  unknown: 3,
  pass: 4,
  disabled: 5,
};

export const needsAttention = (state: SiteState): boolean => state === 'fail' || state === 'degraded';

const isDown = ({ enabled, maintenance, state }: Gateway): boolean =>
  enabled && !maintenance && state === 'offline';

/** All sites with their farms, nodes and gateways: failing ones first, then by name. */
export function sitesOf({ sites, farms, nodes, gateways }: Dashboard): SiteView[] {
  const nodesOf = Map.groupBy(itemsOf(nodes), ({ farm_id }) => farm_id);
  const farmsOf = Map.groupBy(itemsOf(farms), ({ site_id }) => site_id);
  return itemsOf(sites)
    .map((site) => {
      const rows = (farmsOf.get(site.id) ?? []).flatMap((farm) => rowsOf(farm, nodesOf.get(farm.id) ?? []));
      const serving = itemsOf(gateways).filter((gateway) => gateway.sites.includes(site.id));
      return {
        site,
        state: stateOf(site, rows, serving),
        rows: rows.sort((a, b) => rankOf(a) - rankOf(b)),
        gateways: serving,
      };
    })
    .sort((a, b) => ranks[a.state] - ranks[b.state] || byName(a.site, b.site));
}

function rowsOf(farm: Farm, nodes: readonly FleetNode[]): FleetRow[] {
  if (nodes.length === 0) return [{ key: farm.id, farm, node: undefined }];
  return nodes.map((node) => ({ key: node.id, farm, node }));
}

const rankOf = ({ farm, node }: FleetRow): number => ranks[(node ?? farm).state];

function stateOf(site: Site, rows: readonly FleetRow[], gateways: readonly Gateway[]): SiteState {
  if (site.state !== 'pass') return site.state;
  const isFailing = rows.some(
    ({ farm, node }) => farm.state === 'fail' || node?.state === 'fail' || isFailingProbe(node),
  );
  return isFailing || gateways.some(isDown) ? 'degraded' : 'pass';
}

/** The last probe failed, or calls are blocked, while an earlier probe still counts. */
const isFailingProbe = (node: FleetNode | undefined): boolean =>
  node !== undefined &&
  node.state === 'pass' &&
  (['fail', 'unauthorized'].includes(node.status) || node.circuit === 'open');

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name.localeCompare(b.name, undefined, { numeric: true });

/**
 * The sites that contain every word of the filter in their name or in the name of a farm, node or gateway. If the name
 * of the site does not contain them, only the matching rows are left.
 */
export function matching(views: readonly SiteView[], { text, onlyFailing }: Filter): SiteView[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  const has = (...names: (string | undefined)[]) => {
    const content = folded(names.join(' '));
    return words.every((word) => content.includes(word));
  };
  return views
    .filter(({ state }) => !onlyFailing || needsAttention(state))
    .flatMap((view) => {
      const { name, uri } = view.site;
      if (has(name, uri)) return [view];
      const rows = view.rows.filter(({ farm, node }) => has(name, uri, farm.name, node?.name));
      const gateways = view.gateways.filter((gateway) => has(name, uri, gateway.name));
      return rows.length + gateways.length > 0 ? [{ ...view, rows, gateways }] : [];
    });
}

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
