import { type Column, inArray, type SQL, sql } from 'drizzle-orm';

/** The sites whose rows the caller may see: all, or these ids. */
export type Scope = '*' | readonly string[];

/** The condition that a row's site is inside the scope; undefined when nothing limits it. */
export function within(site: Column | SQL, scope: Scope): SQL | undefined {
  if (scope === '*') return undefined;
  return scope.length === 0 ? sql`false` : inArray(sql`${site}`, [...scope]);
}
