import type { SiteName } from '../facts.ts';
import type { SiteServices } from '../services/cards.ts';

/** Milliseconds before its start at which a maintenance is shown. */
const shownBeforeMs = 86_400_000;

/** A maintenance as the page shows it. Times are ISO 8601. */
export type Announcement = {
  /** Unique for the object and the start. */
  key: string;
  /** The site or farm. */
  name: string;
  startsAt: string | null;
  endsAt: string | null;
  hasBegun: boolean;
  isBlocking: boolean;
  /** Of the administrator; empty if there is no message. */
  message: string;
};

/**
 * The maintenance of a site that is in effect, or that begins within a day. While the whole site is in maintenance, that
 * of its farms changes nothing.
 */
export function announcementsOf(
  site: SiteName,
  { announced_maintenance: announced, sites: farms }: SiteServices,
  now: number,
): Announcement[] {
  const all = announced.flatMap(({ farm_id, name, starts_at, ends_at, blocks_new_sessions, message }) => {
    const start = starts_at === null ? now : Date.parse(starts_at);
    const isOver = ends_at !== null && Date.parse(ends_at) <= now;
    if (isOver || start - now > shownBeforeMs) return [];
    const isOfSite = farm_id === null;
    return [
      {
        key: [site.id, farm_id ?? '', starts_at ?? ''].join('/'),
        name: isOfSite || farms.length === 1 ? site.name : `${site.name} (${name})`,
        ...{ startsAt: starts_at, endsAt: ends_at, hasBegun: start <= now },
        ...{ isBlocking: blocks_new_sessions, message, isOfSite },
      },
    ];
  });
  const isSiteBlocked = all.some((one) => one.isOfSite && one.hasBegun && one.isBlocking);
  return all.filter(({ isOfSite }) => isOfSite || !isSiteBlocked).map(({ isOfSite: _, ...one }) => one);
}
