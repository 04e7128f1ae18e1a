import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived } from '../records/statements.ts';

/** A farm or a site. `maintenance` is true while a maintenance is ordered; the template defines its times. */
type Flagged = { maintenance: PgColumn; maintenance_template_id: PgColumn };

/** True while the maintenance blocks users: with a template between its start and end, if it blocks new sessions. */
export const isInMaintenance = ({ maintenance, maintenance_template_id }: Flagged): SQL<boolean> =>
  derived(sql`select ${maintenance} and coalesce((
    select ${templates.block_new_sessions} and coalesce(${templates.start_at} <= now(), true)
      and coalesce(${templates.end_at} > now(), true)
    from ${templates} where ${templates.id} = ${maintenance_template_id}), true)`);

/** The message for users; null without a template. */
export const maintenanceMessage = ({
  maintenance_template_id,
}: Pick<Flagged, 'maintenance_template_id'>): SQL<string | null> =>
  derived(
    sql`select ${templates.message} from ${templates} where ${templates.id} = ${maintenance_template_id}`,
  );

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

const announcementOf = (owner: PgColumn | null, name: PgColumn): SQL => sql`json_build_object(
  'farm_id', ${owner ?? sql`null`}, 'name', ${name}, 'starts_at', ${templates.start_at}, 'ends_at', ${templates.end_at},
  'blocks_new_sessions', coalesce(${templates.block_new_sessions}, true), 'message', coalesce(${templates.message}, ''))`;

const hasNotEnded = sql`coalesce(${templates.end_at} > now(), true)`;

/** The maintenance of the site of the enclosing select and of its farms, until its end, as one JSON array. */
export const announcedMaintenance: SQL<AnnouncedMaintenance[]> = derived(sql`
  select coalesce(json_agg(found.announcement), '[]') from (
    select ${announcementOf(null, sites.name)} as announcement, 0 as place, '' as name
    from (values (1)) as once left join ${templates} on ${templates.id} = ${sites.maintenance_template_id}
    where ${sites.maintenance} and ${hasNotEnded}
    union all
    select ${announcementOf(farms.id, farms.name)}, 1, ${farms.name_key}
    from ${farms} left join ${templates} on ${templates.id} = ${farms.maintenance_template_id}
    where ${farms.site_id} = ${sites.id} and ${farms.maintenance} and ${hasNotEnded}
    order by place, name) as found`);
