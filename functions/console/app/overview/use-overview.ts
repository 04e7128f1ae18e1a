import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/preact-query';
import { portal } from '../../../../shared/web/client/session.ts';
import { useSessionState } from '../../../../shared/web/frame/use-session-state.ts';
import { type Curves, continued, type Dashboard } from './dashboard.ts';

/** Milliseconds between two reads of the overview. */
export const everyMs = 15_000;

/** Milliseconds after which a read has failed. */
const limitMs = 20_000;

export type OverviewData = { dashboard: Dashboard; curves: Curves };

const key = ['overview'];

/** The overview, read again every 15 seconds while the page is visible and the session lasts. */
export function useOverview(): UseQueryResult<OverviewData> {
  const client = useQueryClient();
  const hasEnded = useSessionState() !== 'valid';
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const dashboard = await portal.call('dashboard.admin', {}, { signal: limited });
      return {
        dashboard,
        curves: continued(client.getQueryData<OverviewData>(key)?.curves, dashboard),
      };
    },
    enabled: !hasEnded,
    refetchInterval: everyMs,
  });
}
