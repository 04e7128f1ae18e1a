import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Card, cardsOf, inPlaces } from './cards.ts';
import type { SiteList } from './use-services.ts';

/** Milliseconds in which sites can answer before the first cards are drawn, all of them in one order. */
const togetherMs = 500;

type Places = {
  /** The cards in the order of the page. None before they are drawn. */
  cards: Card[];
  /** Sites whose cards are waited for while the page has none. */
  waiting: readonly SiteList[];
  /** The sites that had answered when the first cards were drawn, and the others. */
  early: readonly SiteList[];
  late: readonly SiteList[];
  /** Puts all cards into the order of use when the lists change next. */
  sort: () => void;
};

/** Keeps each card where it was drawn. What arrives later follows at the end, so that nothing moves under the pointer. */
export function usePlaces(lists: readonly SiteList[]): Places {
  const places = useRef<readonly string[]>([]);
  const drawn = useRef<ReadonlySet<string> | undefined>(undefined);
  const hasWaited = useHasWaited();
  const answered = lists.filter(({ isLoading }) => !isLoading);
  if (answered.length > 0 && (hasWaited || answered.length === lists.length))
    drawn.current ??= new Set(answered.map(({ site }) => site.uri));
  const early = drawn.current;
  const cards = useMemo(() => {
    if (!early) return [];
    const ordered = inPlaces(cardsOf(lists.map(({ site, list }) => [site, list])), places.current);
    places.current = ordered.map(({ key }) => key);
    return ordered;
  }, [early, lists]);
  return {
    cards,
    waiting: cards.length > 0 ? [] : early ? lists.filter(({ isLoading }) => isLoading) : lists,
    early: lists.filter(({ site }) => early?.has(site.uri)),
    late: lists.filter(({ site }) => early && !early.has(site.uri)),
    sort: () => {
      places.current = [];
    },
  };
}

function useHasWaited(): boolean {
  const [hasWaited, setWaited] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWaited(true), togetherMs);
    return () => clearTimeout(timer);
  }, []);
  return hasWaited;
}
