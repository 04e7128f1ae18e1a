import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { groups } from '../../schema/identity/groups.ts';
import { rules } from '../../schema/routing/rules.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { derived } from '../records/statements.ts';
import { type EntitledUser, effectiveGroups, maySeeSite } from '../sites/user-sites.ts';
import { isFor } from './routing-rows.ts';
import { preferenceOf, type ServicePreference } from './service-preferences.ts';
import type { Selection } from './site-lists.ts';

/** A service of a site, with the preferences of the user. `name` is null for a pool that is not in the snapshot. */
export type OfferedService = {
  site_id: string;
  name: string | null;
  preference: ServicePreference | null;
};

type ServiceQuery = {
  uri: string;
  who: EntitledUser;
  service: Exclude<Selection, 'all'>;
  serviceId: string;
};

/**
 * Finds a service by its identifier: an enabled rule of the site for the user, or any pool of a farm of the site. A pool
 * need not be in the snapshot, because the farm can be unavailable. One statement.
 * @returns undefined also for a site that the user may not use
 */
export async function findOfferedService(
  db: Db,
  { uri, who, service, serviceId }: ServiceQuery,
): Promise<OfferedService | undefined> {
  const statement = sql`with own as materialized (
      select ${groups.id} from ${groups} where ${groups.id} in (${effectiveGroups(who.userId)}))
    select json_build_object('site_id', ${sites.id}, 'name', named.name,
      'preference', (${preferenceOf(who.userId, serviceId)}))
    from ${sites} cross join lateral (${nameOf(who, service)}) as named
    where ${and(eq(sites.uri, uri), maySeeSite(who, sql`select id from own`))}`;
  const [row] = await db
    .select({ found: derived<OfferedService | null>(statement) })
    .from(sql`(values (1)) as once`);
  return row?.found ?? undefined;
}

/** One row with the name, or no row if the service does not belong to the site of the enclosing select. */
function nameOf({ userId }: EntitledUser, service: ServiceQuery['service']): SQL {
  if ('rule' in service)
    return sql`select ${rules.display_name} as name from ${rules}
      where ${rules.id} = ${service.rule}::uuid and ${rules.site_id} = ${sites.id} and ${rules.enabled}
        and ${isFor({ userId })}`;
  return sql`select ${pools.name} as name from ${farms}
    left join ${pools} on ${pools.farm_id} = ${farms.id} and ${pools.uuid} = ${service.pool}::uuid
    where ${farms.id} = ${service.farm}::uuid and ${farms.site_id} = ${sites.id}`;
}
