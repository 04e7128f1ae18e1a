import { type SQL, sql } from 'drizzle-orm';
import { maintenanceTemplates } from '../../schema/maintenance/templates.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { isKeyOfUser } from '../snapshot/person-keys.ts';

/* Parts of the routing rows of a site: what the snapshot says about the sessions and machines of a user. */

type MachineUser = { userKey: string };

export const sessionsOf = ({ userKey }: MachineUser): SQL => sql`
  select coalesce(json_agg(json_build_object('session_uuid', ${workplaceSessions.uuid},
    'farm_id', ${workplaceSessions.farm_id}, 'servicepool_uuid', ${workplaceSessions.servicepool_uuid},
    'state', ${workplaceSessions.state}, 'started_at', nullif(${workplaceSessions.started_at}, '-infinity'))), '[]')
  from ${workplaceSessions} join ${farms} on ${farms.id} = ${workplaceSessions.farm_id}
  where ${isKeyOfUser(workplaceSessions.user_key, userKey)} and ${farms.site_id} = ${sites.id}
    and ${workplaceSessions.servicepool_uuid} is not null`;

/** A machine that failed or is removed does not count: the node gives the user another one. */
export const ownedPools = ({ userKey }: MachineUser): SQL => sql`
  select coalesce(jsonb_agg(distinct jsonb_build_object('farm_id', ${workplaces.farm_id},
    'servicepool_uuid', ${workplaces.servicepool_uuid})), '[]')
  from ${workplaces} join ${farms} on ${farms.id} = ${workplaces.farm_id}
  where ${isKeyOfUser(workplaces.owner_key, userKey)} and ${farms.site_id} = ${sites.id}
    and ${workplaces.servicepool_uuid} is not null and ${workplaces.state} not in ('error', 'removing')`;

/**
 * Pools are blocked by the flag of the node, by an active template that blocks new sessions (its order to the node
 * may still be pending), or if all workplaces of the user in the pool are in maintenance. The message is that of the
 * order, otherwise the current one of the template. A state or flag that the node does not report is unknown.
 */
export const blockedPools = ({ userKey }: MachineUser): SQL => sql`
  select coalesce(jsonb_agg(jsonb_build_object('farm_id', blocked.farm_id, 'servicepool_uuid', blocked.uuid,
    'maintenance', blocked.maintenance, 'unknown', blocked.unknown, 'message', blocked.message)), '[]')
  from (select ${pools.farm_id} as farm_id, ${pools.uuid} as uuid, ${isPoolMaintained} as maintenance,
      ${isUnknown(pools)} as unknown, coalesce(${pools.maintenance_message}, ${maintenanceTemplates.message}) as message
    from ${pools} join ${farms} on ${farms.id} = ${pools.farm_id}
    left join ${maintenanceTemplates} on ${maintenanceTemplates.id} = ${pools.maintenance_template_id}
    where ${farms.site_id} = ${sites.id} and (${isPoolMaintained} or ${isUnknown(pools)})
    union all
    select ${workplaces.farm_id}, ${workplaces.servicepool_uuid}, bool_and(coalesce(${workplaces.maintenance}, false)),
      bool_or(${isUnknown(workplaces)}), null
    from ${workplaces} join ${farms} on ${farms.id} = ${workplaces.farm_id}
    where ${isKeyOfUser(workplaces.owner_key, userKey)} and ${farms.site_id} = ${sites.id}
      and ${workplaces.servicepool_uuid} is not null
    group by 1, 2 having bool_and(coalesce(${workplaces.maintenance}, true) or ${isUnknown(workplaces)})) as blocked`;

const isPoolMaintained = sql`(coalesce(${pools.maintenance}, false)
  or coalesce(${maintenanceTemplates.block_new_sessions}, false)
    and coalesce(${maintenanceTemplates.start_at} <= now(), true) and coalesce(${maintenanceTemplates.end_at} > now(), true))`;

const isUnknown = ({ state, maintenance }: typeof pools | typeof workplaces): SQL =>
  sql`(${state} = 'unknown' or ${maintenance} is null)`;
