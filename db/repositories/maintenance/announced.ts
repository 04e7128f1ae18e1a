import { type SQL, sql } from 'drizzle-orm';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived } from '../records/statements.ts';

/** A maintenance of a site or farm that is announced or in effect. Times are ISO 8601; null if it has none. */
export type AnnouncedMaintenance = {
  /** Null: the whole site. */
  farm_id: string | null;
  name: string;
  starts_at: string | null;
  ends_at: string | null;
  blocks_new_sessions: boolean;
  message: string;
};

/** The maintenance of the site of the enclosing select and of its farms, until its end, as one JSON array. */
export const announcedMaintenance: SQL<AnnouncedMaintenance[]> = derived(sql`
  select coalesce(json_agg(json_build_object('farm_id', place.id, 'name', place.name, 'starts_at', ${templates.start_at},
    'ends_at', ${templates.end_at}, 'blocks_new_sessions', coalesce(${templates.block_new_sessions}, true),
    'message', coalesce(${templates.message}, '')) order by place.id nulls first), '[]')
  from (select null::uuid as id, ${sites.name} as name, ${sites.maintenance_template_id} as template where ${sites.maintenance}
    union all select ${farms.id}, ${farms.name}, ${farms.maintenance_template_id} from ${farms}
    where ${farms.site_id} = ${sites.id} and ${farms.maintenance}) as place
  left join ${templates} on ${templates.id} = place.template where coalesce(${templates.end_at} > now(), true)`);
