import { type SQL, sql } from 'drizzle-orm';
import { maintenanceTemplates as templates } from '../../schema/maintenance/templates.ts';
import { maintenanceWindows as windows } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { derived } from '../records/statements.ts';
import { isStillOrdered } from './windows.ts';

const warningAt = sql`${templates.start_at} - make_interval(mins => ${templates.warn_minutes})`;

/** When the window changes next, as decided by `shared/maintenance`; null if it lasts until it is switched off. */
const nextChange = sql`case
  when not ${isStillOrdered} or ${templates.end_at} <= now() then now()
  when ${windows.begun_at} is not null then ${templates.end_at}
  when coalesce(${templates.start_at} <= now(), true) then now()
  when ${warningAt} > now() then ${warningAt}
  else ${templates.start_at} end`;

const withTemplate = sql`${windows} left join ${templates} on ${templates.id} = ${windows.template_id}`;

const flaggedWithoutWindow = (from: typeof farms | typeof sites, type: 'farm' | 'site'): SQL => sql`
  select now() from ${from} where ${from.maintenance}
    and not exists (select from ${windows} where ${windows.about} = ${sql.raw(`'${type}:'`)} || ${from.id})`;

/** When the next window must be opened, changed or closed. */
export const nextMaintenanceAt: SQL = derived(sql`select min(at) from (
  ${flaggedWithoutWindow(farms, 'farm')} union all ${flaggedWithoutWindow(sites, 'site')}
  union all select ${nextChange} from ${withTemplate}) as changes(at)`);

/** Whether a window has phases with steps, which are repeated after a failure and for new farms and pools. */
export const isMaintained = derived<boolean>(sql`select exists (select from ${withTemplate}
  where (${windows.begun_at} is null and ${warningAt} <= now())
    or (${windows.begun_at} is not null and (${windows.object_type} in ('servicespool', 'workplace')
      or ${templates.disconnect_sessions} or ${templates.logoff_sessions})))`);
