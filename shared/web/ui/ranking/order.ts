/** An item of a list in an order. Items of equal rank are equally good. */
export type Ranked = { key: string; rank: number };

/** A place in the list: `isTied` has the rank of the item before it. */
type Placed = { key: string; isTied: boolean };

/** In the order of the ranks. Items of equal rank stay in the order in which they were. */
export const inOrder = <T extends Ranked>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => a.rank - b.rank);

const placesOf = (items: readonly Ranked[]): Placed[] => {
  const ordered = inOrder(items);
  return ordered.map(({ key, rank }, at) => ({ key, isTied: at > 0 && ordered[at - 1]?.rank === rank }));
};

/** Ranks from 1 without gaps. */
function ranksOf(places: readonly Placed[]): Ranked[] {
  let rank = 0;
  return places.map(({ key, isTied }, at) => {
    if (at === 0 || !isTied) rank += 1;
    return { key, rank };
  });
}

/** The list with an item at another place, where its rank is its own. */
export function movedTo(items: readonly Ranked[], key: string, at: number): Ranked[] {
  const places = placesOf(items);
  const from = places.findIndex((place) => place.key === key);
  const target = Math.max(0, Math.min(places.length - 1, at));
  if (from < 0 || from === target) return ranksOf(places);
  const [, next] = places.slice(from);
  // The rest of a group of equals keeps its rank.
  const isHead = next?.isTied && !places[from]?.isTied;
  const rest = places
    .filter((place) => place.key !== key)
    .map((place) => (isHead && place === next ? { ...place, isTied: false } : place));
  rest.splice(target, 0, { key, isTied: false });
  return ranksOf(rest);
}

/** The list with an item that has, or no longer has, the rank of the item before it. */
export const tied = (items: readonly Ranked[], key: string, isTied: boolean): Ranked[] =>
  ranksOf(placesOf(items).map((place) => (place.key === key ? { key, isTied } : place)));

/** The list with ranks from 1 without gaps. */
export const closedUp = (items: readonly Ranked[]): Ranked[] => ranksOf(placesOf(items));
