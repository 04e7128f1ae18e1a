import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { groups } from '../../schema/identity/groups.ts';
import { maintenanceTemplates } from '../../schema/maintenance/templates.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { priorityGroupFarms, priorityGroups } from '../../schema/sites/priority-groups.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived } from '../records/statements.ts';
import { type EntitledUser, effectiveGroups, isSiteFor } from '../sites/user-sites.ts';
import { momentText } from '../snapshot/lists.ts';
import { isPreferenceOf } from './routing-rows.ts';

type ExplainedNode = {
  id: string;
  name: string;
  enabled: boolean;
  status: 'pass' | 'fail' | 'unauthorized' | 'unknown';
  circuit: 'closed' | 'open' | 'half_open';
};
export type ExplainedFarm = {
  id: string;
  name: string;
  maintenance_until: string | null;
  nodes: ExplainedNode[];
};
/** A priority group of the user, for one farm. */
type ExplainedPreference = {
  farm_id: string;
  id: string;
  name: string;
  priority: number;
  farm_priority: number;
};
export type ExplainedSite = {
  id: string;
  uri: string;
  name: string;
  enabled: boolean;
  maintenance_until: string | null;
  /** The user may use the site, regardless of `enabled`. */
  for_user: boolean;
  farms: ExplainedFarm[];
  preferences: ExplainedPreference[];
};

/**
 * The objects that decide about the rules of a site for a user, with their names. One statement.
 * @returns undefined for a site that does not exist
 */
export async function explainedSite(
  db: Db,
  siteId: string,
  who: EntitledUser,
): Promise<ExplainedSite | undefined> {
  const statement = sql`with own as materialized (
      select ${groups.id} from ${groups} where ${groups.id} in (${effectiveGroups(who.userId)}))
    select json_build_object('id', ${sites.id}, 'uri', ${sites.uri}, 'name', ${sites.name}, 'enabled', ${sites.enabled},
      'maintenance_until', (${endOf(sql`${sites.maintenance_template_id}`)}),
      'for_user', (${isSiteFor(who, sql`select id from own`)}), 'farms', (${farmsOfSite}), 'preferences', (${preferencesOf(who)}))
    from ${sites} where ${eq(sites.id, siteId)}`;
  const [row] = await db
    .select({ found: derived<ExplainedSite | null>(statement) })
    .from(sql`(values (1)) as once`);
  return row?.found ?? undefined;
}

const endOf = (template: SQL): SQL => sql`select ${momentText(maintenanceTemplates.end_at)}
  from ${maintenanceTemplates} where ${maintenanceTemplates.id} = ${template}`;

const farmsOfSite = sql`select coalesce(json_agg(json_build_object('id', ${farms.id}, 'name', ${farms.name},
    'maintenance_until', (${endOf(sql`${farms.maintenance_template_id}`)}),
    'nodes', (select coalesce(json_agg(json_build_object('id', ${dispatchers.id}, 'name', ${dispatchers.name},
        'enabled', ${dispatchers.enabled}, 'status', ${dispatchers.status}, 'circuit', ${dispatchers.circuit})
        order by ${dispatchers.name_key}), '[]')
      from ${dispatchers} where ${dispatchers.farm_id} = ${farms.id}))), '[]')
  from ${farms} where ${farms.site_id} = ${sites.id}`;

/** The first one of a farm decides. */
const preferencesOf = (who: EntitledUser): SQL => sql`
  select coalesce(json_agg(json_build_object('farm_id', ${priorityGroupFarms.farm_id}, 'id', ${priorityGroups.id},
      'name', ${priorityGroups.name}, 'priority', ${priorityGroups.priority}, 'farm_priority', ${priorityGroupFarms.priority})
      order by ${priorityGroups.priority}, ${priorityGroupFarms.priority}, ${priorityGroups.name_key}), '[]')
  from ${priorityGroups}
    join ${priorityGroupFarms} on ${priorityGroupFarms.priority_group_id} = ${priorityGroups.id}
    join ${farms} on ${farms.id} = ${priorityGroupFarms.farm_id}
  where ${and(sql`${farms.site_id} = ${sites.id}`, isPreferenceOf(who))}`;
