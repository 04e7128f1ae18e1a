import { type Column, type SQL, sql } from 'drizzle-orm';
import { dispatchers } from '../schema/dispatchers.ts';
import { farms } from '../schema/farms.ts';
import { rules } from '../schema/rules.ts';
import { sites } from '../schema/sites.ts';
import { type Scope, within } from './scope.ts';

/** Ids of the objects within the sites, by type of those that lie in one; an object of another type has no site. */
const idsWithin = {
  site: (scope) => sql`select ${sites.id} from ${sites} where ${within(sites.id, scope)}`,
  farm: (scope) => sql`select ${farms.id} from ${farms} where ${within(farms.site_id, scope)}`,
  dispatcher: (scope) =>
    sql`select ${dispatchers.id} from ${dispatchers} join ${farms} on ${farms.id} = ${dispatchers.farm_id}
      where ${within(farms.site_id, scope)}`,
  rule: (scope) => sql`select ${rules.id} from ${rules} where ${within(rules.site_id, scope)}`,
} satisfies Record<string, (scope: Scope) => SQL>;

/** The condition that an object of this type lies in no site, or in one of the scope; undefined when nothing limits it. */
export function objectWithin(type: string, id: Column | SQL, scope: Scope): SQL | undefined {
  const ids = Object.entries(idsWithin).find(([sited]) => sited === type)?.[1];
  return scope === '*' || !ids ? undefined : sql`${id} in (${ids(scope)})`;
}

/**
 * The same for objects whose type stands in a column, and whose id is text there. One that is gone lies nowhere any
 * more: a narrow scope does not see what is told of it.
 */
export function namedWithin(type: Column, id: Column, scope: Scope): SQL | undefined {
  if (scope === '*') return undefined;
  const arms = Object.entries(idsWithin).map(
    ([sited, ids]) => sql`when ${sited} then ${id} in (select id::text from (${ids(scope)}) as own (id))`,
  );
  return sql`(case ${type} ${sql.join(arms, sql` `)} else true end)`;
}
