import { useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';

export type Pools = Operations['servicespool.list']['answer'];
export type Pool = Pools['items'][number];
export type Farm = NonNullable<Pools['sites']>[number];

/** A pool of a rule, as the API stores it. */
export type Member = { farm_id: string; servicepool_uuid: string; priority: number; enabled: boolean };

export const keyOf = ({ farm_id, servicepool_uuid }: Pick<Member, 'farm_id' | 'servicepool_uuid'>): string =>
  `${farm_id}:${servicepool_uuid}`;

/** A page has at most this number of pools. */
const mostPools = 500;

/** The pools of a site with the state of their farms; those of the first page. */
export const usePools = (siteId: string | undefined) =>
  useQuery({
    queryKey: ['pools', 'servicespool', siteId],
    queryFn: ({ signal }) =>
      portal.call('servicespool.list', { query: { site_id: siteId ?? '', limit: mostPools } }, { signal }),
    enabled: siteId !== undefined,
    staleTime: 30_000,
  });

export const findPools = async (siteId: string, search: string, signal: AbortSignal): Promise<Pool[]> => {
  const { items } = await portal.call(
    'servicespool.list',
    { query: { site_id: siteId, limit: 20, ...(search !== '' && { search }) } },
    { signal },
  );
  return items;
};

export const nameOf = ({ name, uuid }: Pick<Pool, 'name' | 'uuid'>): string => name ?? `${uuid.slice(0, 8)}…`;
