import { and, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { maintenanceWindows as windows } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type Scope, within } from '../records/scope.ts';
import { momentText } from '../snapshot/lists.ts';
import { hasStarted, type MaintenanceOverview, orderedMaintenance, overviewColumns } from './overview.ts';

export type CalendarQuery = {
  from: Date;
  to: Date;
  scope: Scope;
  site_id?: string | undefined;
  template_id?: string | undefined;
};

/** A maintenance with the start that is known, and its effect on users. */
export type CalendarEntry = Omit<MaintenanceOverview, 'in_effect'> & {
  farm_id: string | null;
  template_id: string | null;
  in_effect: boolean;
  block_new_sessions: boolean;
  disconnect_sessions: boolean;
  logoff_sessions: boolean;
  warn_minutes: number | null;
};

/** A template with a time that applies to no object. */
export type UnusedTemplate = { id: string; name: string; start_at: string | null; end_at: string | null };

/** One more than the number of entries of an answer. */
export const mostEntries = 500;
const mostTemplates = 50;

const start = sql`coalesce(${templates.start_at}, ordered.begun_at)`;

/** The maintenance of objects in the scope that overlaps the period, by site, farm and start; one more than `mostEntries`. */
export async function maintenanceCalendar(db: Db, query: CalendarQuery): Promise<CalendarEntry[]> {
  const { from, to, scope, site_id, template_id } = query;
  return db
    .select({
      ...overviewColumns,
      farm_id: sql<string | null>`ordered.farm_id`,
      template_id: sql<string | null>`ordered.template_id`,
      start_at: sql<string | null>`${momentText(start)}`,
      in_effect: sql<boolean>`${hasStarted}`,
      block_new_sessions: sql<boolean>`coalesce(${templates.block_new_sessions}, true)`,
      disconnect_sessions: sql<boolean>`coalesce(${templates.disconnect_sessions}, false)`,
      logoff_sessions: sql<boolean>`coalesce(${templates.logoff_sessions}, false)`,
      warn_minutes: sql<number | null>`${templates.warn_minutes}`,
    })
    .from(orderedMaintenance)
    .innerJoin(sites, sql`${sites.id} = ordered.site_id`)
    .leftJoin(templates, sql`${templates.id} = ordered.template_id`)
    .where(
      and(
        within(sites.id, scope),
        site_id === undefined ? undefined : sql`${sites.id} = ${site_id}`,
        template_id === undefined ? undefined : sql`ordered.template_id = ${template_id}::uuid`,
        overlaps(from, to),
      ),
    )
    .orderBy(
      sql`${sites.name_key}, ordered.farm_name nulls first, ordered.object_type, ordered.object_name, ${start} nulls first`,
    )
    .limit(mostEntries + 1);
}

/** A maintenance without a start is in effect; without an end it lasts until it is switched off. */
const overlaps = (
  from: Date,
  to: Date,
): SQL => sql`coalesce(${start} < ${to.toISOString()}::timestamptz, true)
  and coalesce(${templates.end_at} > ${from.toISOString()}::timestamptz, true)`;

/** Templates with a time in the period that no object has, at most 50. Templates belong to no site. */
export async function unusedTemplates(db: Db, { from, to }: CalendarQuery): Promise<UnusedTemplate[]> {
  const isUsed = sql`(exists(select from ${windows} where ${windows.template_id} = ${templates.id})
    or exists(select from ${farms} where ${farms.maintenance_template_id} = ${templates.id} and ${farms.maintenance})
    or exists(select from ${sites} where ${sites.maintenance_template_id} = ${templates.id} and ${sites.maintenance}))`;
  return db
    .select({
      id: templates.id,
      name: templates.name,
      start_at: sql<string | null>`${momentText(templates.start_at)}`,
      end_at: sql<string | null>`${momentText(templates.end_at)}`,
    })
    .from(templates)
    .where(
      sql`${templates.start_at} < ${to.toISOString()}::timestamptz
        and coalesce(${templates.end_at}, ${templates.start_at}) > ${from.toISOString()}::timestamptz and not ${isUsed}`,
    )
    .orderBy(templates.start_at, templates.name_key)
    .limit(mostTemplates);
}
