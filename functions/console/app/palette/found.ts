import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import type { Operations } from '../../../../shared/client/portal-client.ts';
import { portal } from '../../../../shared/web/client/session.ts';
import { confusableText } from '../records/fields/confusable-text.ts';
import { type Kind, kindOf } from '../records/kinds.ts';
import { addressOf } from '../router/place.ts';
import { say } from '../texts.ts';
import type { Entry, EntryGroup } from './entries.ts';

type Found = Operations['search.find']['answer']['items'][number];

/** Milliseconds after the last key until the portal is asked. */
const pauseMs = 120;
const limitMs = 15_000;
const most = 6;

export type FoundGroups = { groups: EntryGroup[]; isLoading: boolean; hasFailed: boolean };

/** The objects whose names contain a text. An earlier answer stays until the next one has arrived. */
export function useFound(kinds: readonly Kind[], text: string): FoundGroups {
  const settled = useSettled(text.trim());
  const isAsked = settled !== '';
  const { data, isFetching, isError } = useQuery({
    // Not of one type: a change of any record makes it out of date.
    queryKey: ['search', null, settled],
    queryFn: ({ signal }) =>
      portal.call(
        'search.find',
        { query: { text: settled, limit: most } },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    gcTime: 60_000,
  });
  return {
    groups: isAsked ? groupsOf(kinds, data?.items ?? []) : [],
    isLoading: text.trim() !== settled || (isAsked && isFetching),
    hasFailed: isAsked && isError,
  };
}

/** What was typed, as soon as the user pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), text === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The objects by their kinds, in the order of the answer. */
function groupsOf(kinds: readonly Kind[], found: readonly Found[]): EntryGroup[] {
  const types = [...new Set(found.map(({ type }) => type))];
  return types.flatMap((type) => {
    const kind = kindOf(kinds, type);
    if (!kind) return [];
    return [
      {
        title: kind.many,
        entries: found.filter((one) => one.type === type).map((one) => entryOf(kind, one)),
      },
    ];
  });
}

const entryOf = (kind: Kind, { id, name, parent }: Found): Entry => ({
  key: `${kind.type} ${parent?.id ?? ''} ${id}`,
  text: name || say('palette_unnamed'),
  within:
    [parent?.name, kind.type === 'user' && confusableText(name)].filter(Boolean).join('. ') || undefined,
  icon: 'records',
  href: foundAddress(kind, { id, name, parent }),
});

/** A page of the object, or its list limited to it if the API has no single ones. */
function foundAddress(kind: Kind, { id, name, parent }: Omit<Found, 'type'>): string {
  const [owner] = kind.parents;
  if (!kind.get) return addressOf([kind.type], { search: name, farm_id: parent?.id });
  return addressOf([kind.type, id], owner !== undefined && parent ? { [owner]: parent.id } : {});
}
