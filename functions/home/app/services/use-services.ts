import { useMutation, useQueries, useQueryClient } from '@tanstack/preact-query';
import { portal } from '../../../../shared/web/client/session.ts';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { facts, type SiteName } from '../facts.ts';
import { say } from '../texts.ts';
import type { Card, Service, SiteServices } from './cards.ts';

/** Milliseconds between two reads of the list of a site. */
const everyMs = 60_000;

export type SiteList = {
  site: SiteName;
  /** The last list that was received. */
  list: SiteServices | undefined;
  /** The last read failed. */
  failed: boolean;
  /** When the last list was received, in milliseconds; 0 before. */
  receivedAt: number;
  isLoading: boolean;
};

const keyOf = (site: Pick<SiteName, 'uri'>) => ['services', site.uri] as const;

/** The services of all sites of the user. Each site is read by itself, so that a slow one holds up no other. */
export const useServices = (): SiteList[] =>
  useQueries({
    queries: facts.sites.map((site) => ({
      queryKey: keyOf(site),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        portal.call('service.list', { path: { site_uri: site.uri } }, { signal }),
      refetchInterval: everyMs,
    })),
    combine: (results) =>
      results.flatMap(({ data, isError, failureCount, dataUpdatedAt, isPending }, at) => {
        const site = facts.sites[at];
        if (!site) return [];
        const failed = isError || failureCount > 0;
        return [{ site, list: data, failed, receivedAt: dataUpdatedAt, isLoading: isPending && !failed }];
      }),
  });

/** Returns a function that reads the list of a site again. */
export function useRefresh(): (site: Pick<SiteName, 'uri'>) => Promise<void> {
  const client = useQueryClient();
  return (site) => client.invalidateQueries({ queryKey: keyOf(site) });
}

type Preference = { card: Card; change: Partial<Pick<Service, 'favourite' | 'launch'>> };

/** Returns a function that stores preferences for a service. The page shows them at once. */
export function usePrefer(): (preference: Preference) => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ card, change }: Preference) =>
      portal.call('service.prefer', { path: { site_uri: card.site.uri, id: card.service.id }, body: change }),
    onMutate: ({ card, change }) =>
      client.setQueryData<SiteServices>(
        keyOf(card.site),
        (list) => list && changed(list, card.service.id, change),
      ),
    onError: () => toast(say('not_stored'), { isFault: true }),
    // Shows what is stored if the change failed.
    onSettled: (_, __, { card }) => client.invalidateQueries({ queryKey: keyOf(card.site) }),
  });
  return mutate;
}

const changed = (list: SiteServices, id: string, change: Preference['change']): SiteServices => ({
  ...list,
  services: list.services.map((service) => (service.id === id ? { ...service, ...change } : service)),
});
