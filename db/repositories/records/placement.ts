import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { liesWithin, type Scope, within } from './scope.ts';
import { type Link, type Member, must, setMembers } from './statements.ts';

/** Where the rows of a table are: at one site, or at those of a select. */
type PlacedSpec = {
  table: PgTable & { id: PgColumn };
  links?: Record<string, Link>;
  site?: PgColumn | SQL;
  sites?: SQL;
};

/** Writes the links of a row, and checks that the row is at a site where the caller may write. */
export function placed(
  spec: PlacedSpec,
  h: Db,
  id: string,
  values: { links: Record<string, readonly Member[]> },
  scope: Scope,
): Statement[] {
  const { table, links, site } = spec;
  const inside = site && within(site, scope);
  return [
    ...Object.entries(values.links).flatMap(([name, ids]) => {
      const link = links?.[name];
      if (!link) return [];
      const fit = link.unfit && must(h, sql`not ${link.unfit(id)}`, `dangling:/${name}`);
      return [...setMembers(h, link, id, ids), ...(fit ? [fit] : [])];
    }),
    // A row at an invisible site is rejected with the same error as a row at a site that does not exist.
    ...(inside
      ? [must(h, sql`exists(select 1 from ${table} where ${table.id} = ${id} and ${inside})`, 'out_of_scope')]
      : []),
    ...writable(spec, h, id, scope),
  ];
}

/** Checks that all sites of the row, in its current state in the batch, are within the scope. */
export function writable({ table, sites }: PlacedSpec, h: Db, id: string, scope: Scope): Statement[] {
  const inside = sites && liesWithin(sites, scope);
  if (!inside) return [];
  return [
    must(h, sql`exists(select 1 from ${table} where ${table.id} = ${id} and ${inside})`, 'out_of_scope'),
  ];
}
