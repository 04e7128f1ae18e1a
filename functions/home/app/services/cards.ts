import type { Operations } from '../../../../shared/client/portal-client.ts';
import type { SiteName } from '../facts.ts';

export type SiteServices = Operations['service.list']['answer'];
export type Service = SiteServices['services'][number];
export type FarmState = SiteServices['sites'][number];

/** A service of a site, as a card shows it. */
export type Card = { key: string; site: SiteName; service: Service };

/** What the user looks for. An empty site means all sites. */
export type Search = { text: string; site: string };

/** All services of the sites that have answered, in the order of the page. */
export const cardsOf = (lists: readonly (readonly [SiteName, SiteServices | undefined])[]): Card[] =>
  lists
    .flatMap(([site, list]) =>
      (list?.services ?? []).map((service) => ({ key: `${site.uri}/${service.id}`, site, service })),
    )
    .sort(byUse);

/** The cards at their places; those without one follow in their own order. @param places keys of cards */
export function inPlaces(cards: readonly Card[], places: readonly string[]): Card[] {
  const place = new Map(places.map((key, at) => [key, at]));
  const placeOf = ({ key }: Card) => place.get(key) ?? places.length;
  return cards.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** Open workplaces first, then favourites, then the last used, then the others by name; unavailable ones last. */
const byUse = (one: Card, other: Card): number =>
  rankOf(one) - rankOf(other) ||
  usedAt(other) - usedAt(one) ||
  one.service.name.localeCompare(other.service.name);

function rankOf({ service }: Card): number {
  if (service.sessions.length > 0) return 0;
  if (service.favourite) return 1;
  return service.state === 'unavailable' ? 3 : 2;
}

const usedAt = ({ service: { last_used_at: at } }: Card): number => (at === null ? 0 : Date.parse(at));

/** The cards that contain every word of the search. */
export function matching(cards: readonly Card[], { text, site }: Search): Card[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return cards.filter((card) => {
    if (site !== '' && card.site.uri !== site) return false;
    const content = folded([card.service.name, card.service.description, card.site.name].join(' '));
    return words.every((word) => content.includes(word));
  });
}

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();

/** A part of the list that is old or missing, with the sites or farms that it concerns. */
export type Gap = { name: string; ageMs: number | null; reason: 'old' | 'missing' };

/**
 * The farms whose services are not current. If a site has one farm only, or all of its farms are in the same state, the
 * site is named.
 */
export function gapsIn(site: SiteName, farms: readonly FarmState[]): Gap[] {
  const failing = farms.filter(({ status }) => isGap(status));
  if (failing.length === 0) return [];
  const gaps = failing.map(({ farm_name, age_ms }) => ({
    name: `${site.name} (${farm_name})`,
    ageMs: age_ms,
    reason: age_ms === null ? ('missing' as const) : ('old' as const),
  }));
  const [first, ...others] = gaps;
  const isWholeSite =
    first && gaps.length === farms.length && others.every(({ reason }) => reason === first.reason);
  if (!isWholeSite) return gaps;
  const ages = gaps.flatMap(({ ageMs }) => (ageMs === null ? [] : [ageMs]));
  return [{ name: site.name, reason: first.reason, ageMs: ages.length > 0 ? Math.max(...ages) : null }];
}

/**
 * The farms where the user has no account, as the user reads them: the site if it is one farm only, or if all of its
 * farms refuse the user.
 */
export function refusedAt(site: SiteName, farms: readonly FarmState[]): string[] {
  const refused = farms.filter(({ refusal }) => refusal !== null);
  if (refused.length === 0) return [];
  if (refused.length === farms.length) return [site.name];
  return refused.map(({ farm_name }) => `${site.name} (${farm_name})`);
}

const isGap = (status: FarmState['status']): boolean =>
  ['pending', 'stale', 'timeout', 'error', 'circuit_open'].includes(status);
