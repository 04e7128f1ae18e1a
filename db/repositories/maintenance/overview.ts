import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../client.ts';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { maintenanceWindows as windows } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { type Scope, within } from '../records/scope.ts';
import { momentText } from '../snapshot/lists.ts';

/** A maintenance that is in effect or ordered. Without a template it has no times and no texts. */
export type MaintenanceOverview = {
  object_type: 'site' | 'farm' | 'servicespool' | 'workplace';
  object_id: string;
  object_name: string;
  site_id: string;
  site_name: string;
  /** Null for a site. */
  farm_name: string | null;
  title: string | null;
  message: string | null;
  start_at: string | null;
  end_at: string | null;
  in_effect: boolean;
};

const mostEntries = 100;

const windowOf = (type: 'site' | 'farm', id: PgColumn): SQL => sql`(select ${windows.begun_at} from ${windows}
  where ${windows.about} = ${`${type}:`}::text || ${id})`;

/**
 * Objects with a maintenance. `begun_at` is the start of a maintenance in effect; null if it is unknown or has not
 * started.
 */
const ordered = sql.join(
  [
    sql`select 'site', ${sites.id}, ${sites.name}, ${sites.id}, null::uuid, null::text, ${sites.maintenance_template_id},
        null::text, ${windowOf('site', sites.id)}
      from ${sites} where ${sites.maintenance}`,
    sql`select 'farm', ${farms.id}, ${farms.name}, ${farms.site_id}, ${farms.id}, ${farms.name},
        ${farms.maintenance_template_id}, null, ${windowOf('farm', farms.id)}
      from ${farms} where ${farms.maintenance}`,
    sql`select ${windows.object_type}, coalesce(${windows.workplace_uuid}, ${windows.pool_uuid}), ${windows.object_name},
        ${farms.site_id}, ${farms.id}, ${farms.name}, ${windows.template_id}, ${windows.message}, ${windows.begun_at}
      from ${windows} join ${farms} on ${farms.id} = ${windows.farm_id}
      where ${windows.object_type} in ('servicespool', 'workplace')`,
    sql`select 'servicespool', ${pools.uuid}, coalesce(${pools.name}, ''), ${farms.site_id}, ${farms.id}, ${farms.name},
        null::uuid, ${pools.maintenance_message}, ${pools.maintenance_since}
      from ${pools} join ${farms} on ${farms.id} = ${pools.farm_id}
      where ${pools.maintenance} and not exists (select from ${windows}
        where ${windows.farm_id} = ${pools.farm_id} and ${windows.pool_uuid} = ${pools.uuid}
          and ${windows.object_type} = 'servicespool')`,
  ],
  sql` union all `,
);

/** The rows as a table of a statement. */
export const orderedMaintenance = sql`(${ordered}) as ordered (object_type, object_id, object_name, site_id, farm_id,
  farm_name, template_id, message, begun_at)`;

export const hasStarted = sql`coalesce(${templates.start_at} <= now(), true)`;

export const overviewColumns = {
  object_type: sql<MaintenanceOverview['object_type']>`ordered.object_type`,
  object_id: sql<string>`ordered.object_id::text`,
  object_name: sql<string>`ordered.object_name`,
  site_id: sql<string>`${sites.id}`,
  site_name: sql<string>`${sites.name}`,
  farm_name: sql<string | null>`ordered.farm_name`,
  title: sql<string | null>`coalesce(nullif(${templates.title}, ''), ${templates.name})`,
  message: sql<string | null>`coalesce(ordered.message, ${templates.message})`,
  start_at: sql<string | null>`${momentText(templates.start_at)}`,
  end_at: sql<string | null>`${momentText(templates.end_at)}`,
  in_effect: sql<boolean>`${hasStarted}`,
};

/**
 * Returns the maintenance of sites, farms, pools and workplaces of the scope that is in effect, then what starts next,
 * at most 100 entries. Workplaces in maintenance without a template are not included, because there may be thousands.
 */
export async function maintenanceOverview(db: Db, scope: Scope): Promise<MaintenanceOverview[]> {
  const inside: SQL = within(sites.id, scope) ?? sql`true`;
  return db
    .select(overviewColumns)
    .from(orderedMaintenance)
    .innerJoin(sites, sql`${sites.id} = ordered.site_id`)
    .leftJoin(templates, sql`${templates.id} = ordered.template_id`)
    .where(sql`${inside} and coalesce(${templates.end_at} > now(), true)`)
    .orderBy(
      sql`${hasStarted} desc, ${templates.start_at}, ${sites.name_key}, ordered.object_type, ordered.object_name`,
    )
    .limit(mostEntries);
}
