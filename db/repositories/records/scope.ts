import { type Column, inArray, type SQL, sql } from 'drizzle-orm';

/** The sites whose rows the caller may see: all, or these ids. */
export type Scope = '*' | readonly string[];

/** The condition that a row's site is inside the scope; undefined when nothing limits it. */
export function within(site: Column | SQL, scope: Scope): SQL | undefined {
  if (scope === '*') return undefined;
  return scope.length === 0 ? sql`false` : inArray(sql`${site}`, [...scope]);
}

/** The condition that a row that lies in these sites is seen: it shares one with the scope, or lies in none. */
export const sharesSite = (sitesOfRow: SQL, scope: Scope): SQL | undefined =>
  scope === '*'
    ? undefined
    : sql`(not exists (${sitesOfRow}) or exists (select from (${sitesOfRow}) as own (site_id) where ${within(sql`own.site_id`, scope)}))`;

/** The condition that a row may be written: it lies in sites of the scope, and in no other. */
export const liesWithin = (sitesOfRow: SQL, scope: Scope): SQL | undefined =>
  scope === '*'
    ? undefined
    : sql`(select count(*) > 0 and bool_and(${within(sql`own.site_id`, scope)}) from (${sitesOfRow}) as own (site_id))`;
