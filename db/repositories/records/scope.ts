import { type Column, inArray, type SQL, sql } from 'drizzle-orm';

/** The sites whose rows the caller may see: all, or these ids. */
export type Scope = '*' | readonly string[];

/** The condition that the site of a row is within the scope; undefined if the scope is unrestricted. */
export function within(site: Column | SQL, scope: Scope): SQL | undefined {
  if (scope === '*') return undefined;
  return scope.length === 0 ? sql`false` : inArray(sql`${site}`, [...scope]);
}

/** The condition that a row with these sites is visible: one of them is in the scope, or it has none. */
export const sharesSite = (sitesOfRow: SQL, scope: Scope): SQL | undefined =>
  scope === '*'
    ? undefined
    : sql`(not exists (${sitesOfRow}) or exists (select from (${sitesOfRow}) as own (site_id) where ${within(sql`own.site_id`, scope)}))`;

/** The condition that a row with these sites is writable: it has sites, and all are in the scope. */
export const liesWithin = (sitesOfRow: SQL, scope: Scope): SQL | undefined =>
  scope === '*'
    ? undefined
    : sql`(select count(*) > 0 and bool_and(${within(sql`own.site_id`, scope)}) from (${sitesOfRow}) as own (site_id))`;
