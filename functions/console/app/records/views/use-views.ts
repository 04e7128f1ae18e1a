import { type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { facts } from '../../facts.ts';
import { addressOf, open, type Query } from '../../router/place.ts';
import type { Kind } from '../kinds.ts';
import { parentsOf } from '../list/list-address.ts';

type Answer = Operations['userinfo.listViews']['answer'];
export type SavedView = Answer['items'][number];

// Views belong to the user, so changes of records do not concern them.
const key = ['views', 'saved_view'];
const limitMs = 10_000;

/** The saved views of all lists. Those of the last visit are there at once, so that no list waits for them. */
function useAllViews() {
  const [last] = useState(storedViews);
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const answer = await portal.call('userinfo.listViews', {}, { signal: limited });
      storeViews(answer);
      return answer;
    },
    ...(last && { initialData: last, initialDataUpdatedAt: 0 }),
    staleTime: 300_000,
    gcTime: Number.POSITIVE_INFINITY,
  });
}

const storageKey = `views ${facts.user.id}`;

function storedViews(): Answer | undefined {
  try {
    const stored: Answer | null = JSON.parse(localStorage.getItem(storageKey) ?? 'null');
    return Array.isArray(stored?.items) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function storeViews(answer: Answer): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(answer));
  } catch {
    // They are read again on the next visit.
  }
}

/** The saved views of the list of a kind. Without an answer, the list works without them. */
export function useViews({ type }: Pick<Kind, 'type'>): SavedView[] {
  const { data } = useAllViews();
  return (data?.items ?? []).filter(({ list }) => list === type);
}

/** The member of an address that opens a list without its default view. */
export const all = 'all';

/** Opens the default view where the address of a list has nothing else. */
export function useDefaultView(kind: Kind, query: URLSearchParams): void {
  const view = useViews(kind).find(({ is_default }) => is_default);
  const isPlain = storedQuery(kind, query) === '' && !query.has(all);
  useEffect(() => {
    if (view && isPlain) open(viewAddress(kind, query, view), { isSame: true });
  }, [view?.id, isPlain]);
}

export const viewAddress = (kind: Kind, query: URLSearchParams, view: SavedView): string =>
  addressOf([kind.type], { ...parentsOf(kind, query), ...queryOf(view) });

/** Members of the address that say which list it is. */
const own = (kind: Pick<Kind, 'parents'>): Set<string> => new Set([...kind.parents, all]);

/** What a view stores of an address: all but the owner of the records. */
export function storedQuery(kind: Pick<Kind, 'parents'>, query: URLSearchParams): string {
  const skipped = own(kind);
  const members = [...query].filter(([name, value]) => !skipped.has(name) && value !== '');
  return new URLSearchParams(members.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();
}

/** The members of the address of a view. */
const queryOf = ({ query }: Pick<SavedView, 'query'>): Query =>
  Object.fromEntries(new URLSearchParams(query));

/** Writes of views; each is followed by a new read. */
export function useViewWrites() {
  const client = useQueryClient();
  const written = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await renew(client);
    return result;
  };
  return {
    create: (body: Omit<SavedView, 'id'>) => written(portal.call('userinfo.createView', { body })),
    replace: ({ id, ...body }: SavedView) =>
      written(portal.call('userinfo.replaceView', { path: { id }, body })),
    remove: ({ id }: SavedView) => written(portal.call('userinfo.deleteView', { path: { id } })),
  };
}

const renew = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: key });
