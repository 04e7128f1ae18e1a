import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { momentText, periodText } from '../../../../../shared/web/text/moments.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';

export type Calendar = Operations['maintenance_template.calendar']['answer'];
export type Entry = Calendar['entries'][number];

export const days = 28;

/** Milliseconds after which the request has failed for the page. */
const limitMs = 20_000;

export type CalendarQuery = {
  from: Date;
  /** Length of the period in days. */
  length?: number;
  siteId?: string | undefined;
  templateId?: string | undefined;
};

/** The query has no type, so each change of a record reads it again. */
export const useCalendar = (query: CalendarQuery) =>
  useQuery({
    queryKey: ['calendar', undefined, JSON.stringify(queryOf(query))],
    queryFn: ({ signal }) =>
      portal.call(
        'maintenance_template.calendar',
        { query: queryOf(query) },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
    placeholderData: keepPreviousData,
  });

export const queryOf = ({ from, length = days, siteId, templateId }: CalendarQuery) => ({
  from: from.toISOString(),
  days: length,
  ...(siteId !== undefined && { site_id: siteId }),
  ...(templateId !== undefined && { template_id: templateId }),
});

/** The start of a day in the time zone of the browser. */
export function dayOf(time: Date): Date {
  const day = new Date(time);
  day.setHours(0, 0, 0, 0);
  return day;
}

/** The day of an address as `2026-11-24`; default: today. */
export function dayFrom(text: string | null): Date {
  const day = /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? new Date(`${text}T00:00:00`) : dayOf(new Date());
  return Number.isNaN(day.getTime()) ? dayOf(new Date()) : day;
}

export function dayText(day: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

export function movedBy(day: Date, count: number): Date {
  const moved = new Date(day);
  moved.setDate(moved.getDate() + count);
  return moved;
}

export type SiteGroup = { id: string; name: string; entries: Entry[] };

/** By site, in the order of the answer. */
export function groupsOf(entries: readonly Entry[]): SiteGroup[] {
  const groups = new Map<string, SiteGroup>();
  for (const entry of entries) {
    const group = groups.get(entry.site_id) ?? { id: entry.site_id, name: entry.site_name, entries: [] };
    group.entries.push(entry);
    groups.set(entry.site_id, group);
  }
  return [...groups.values()];
}

export function timesText({ in_effect, start_at, end_at }: Entry): string {
  if (start_at !== null && end_at !== null) return periodText(start_at, end_at);
  if (end_at !== null) return say('now_until', { end: momentText(end_at) });
  if (start_at === null) return say('now_without_end');
  const start = momentText(start_at);
  return in_effect ? say('calendar_since', { start }) : say('from', { start });
}

/** What the maintenance does to users. */
export function effectText({ block_new_sessions, logoff_sessions, disconnect_sessions }: Entry): string {
  const ofSessions = logoff_sessions
    ? say('calendar_logs_off')
    : disconnect_sessions
      ? say('calendar_disconnects')
      : say('calendar_keeps_sessions');
  return `${say(block_new_sessions ? 'calendar_blocks' : 'calendar_admits')} ${ofSessions}`;
}

/** Where the object of a maintenance is shown. Pools and workplaces have no pages of their own. */
export function hrefOf({ object_type, object_id, object_name, farm_id }: Entry): string {
  if (object_type === 'site' || object_type === 'farm') return addressOf([object_type, object_id]);
  return addressOf([object_type], { farm_id: farm_id ?? undefined, search: object_name });
}

/** The part of the period from one moment to another: start and length between 0 and 1. */
export function spanOf({ from, to }: Pick<Calendar, 'from' | 'to'>, { start_at, end_at }: Entry) {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const at = (time: string | null, otherwise: number) =>
    time === null ? otherwise : Math.min(1, Math.max(0, (Date.parse(time) - first) / (last - first)));
  const start = at(start_at, 0);
  return { start, length: Math.max(0, at(end_at, 1) - start) };
}
