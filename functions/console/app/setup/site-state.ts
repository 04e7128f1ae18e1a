import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import { portal } from '../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { may } from '../facts.ts';
import { type Dashboard, itemsOf } from '../overview/dashboard.ts';

/** Usage, farms, nodes and maintenance of one site. */
export type SiteState = {
  /** Undefined also if the overview could not be read, or is older than the site. */
  site: ReturnType<typeof sitesIn>[number] | undefined;
  isDeleted: boolean;
  farms: ReturnType<typeof farmsIn>;
  nodes: ReturnType<typeof nodesIn>;
  maintenance: ReturnType<typeof maintenanceIn>;
  generatedAt: string;
};

const sitesIn = ({ sites }: Dashboard) => itemsOf(sites);
const farmsIn = ({ farms }: Dashboard) => itemsOf(farms);
const nodesIn = ({ nodes }: Dashboard) => itemsOf(nodes);
const maintenanceIn = ({ maintenance }: Dashboard) => itemsOf(maintenance);

export const mayReadState = (): boolean => may(['dashboard.read']);

/**
 * The state of one site, in one request. It is read again when a record of any type changes.
 * @param everyMs milliseconds between two reads without a change
 */
export const useSiteState = (siteId: string, everyMs: number): UseQueryResult<SiteState> =>
  useQuery({
    queryKey: ['site_state', undefined, siteId],
    queryFn: async ({ signal }) => {
      const dashboard = await portal.call('dashboard.admin', { query: { site_id: siteId } }, { signal });
      const state = stateOf(dashboard, siteId);
      return { ...state, isDeleted: !state.site && (await isDeleted(siteId, signal)) };
    },
    enabled: siteId !== '' && mayReadState(),
    refetchInterval: everyMs,
  });

function stateOf(dashboard: Dashboard, siteId: string): Omit<SiteState, 'isDeleted'> {
  const farms = farmsIn(dashboard).filter(({ site_id }) => site_id === siteId);
  const ids = new Set(farms.map(({ id }) => id));
  return {
    site: sitesIn(dashboard).find(({ id }) => id === siteId),
    farms,
    nodes: nodesIn(dashboard).filter(({ farm_id }) => ids.has(farm_id)),
    maintenance: maintenanceIn(dashboard),
    generatedAt: dashboard.generated_at,
  };
}

async function isDeleted(id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await portal.call('site.get', { path: { id } }, { signal });
    return false;
  } catch (error) {
    return problemOf(error).code === 'not_found';
  }
}
