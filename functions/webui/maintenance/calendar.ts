import { z } from 'zod';
import {
  type CalendarQuery,
  maintenanceCalendar,
  mostEntries,
  unusedTemplates,
} from '../../../db/repositories/maintenance/calendar.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { Maintenance } from '../../../shared/maintenance/shapes.ts';
import { Id, Instant, idOf, Moment } from '../../../shared/shapes/fields.ts';
import type { WebuiCtx } from '../deps.ts';

const daySeconds = 86_400;

export const CalendarFilters = z.strictObject({
  from: Instant.optional().describe('Start of the period. Default: now.'),
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .default(28)
    .describe('Length of the period in days. Default 28.'),
  site_id: idOf('site').optional().describe('Only the site with this identifier and its objects.'),
  template_id: idOf('maintenance_template')
    .optional()
    .describe('Only objects with this maintenance template.'),
});

const Entry = Maintenance.extend({
  farm_id: Id.nullable().describe('Identifier of the farm. Null for a site.'),
  template_id: Id.nullable().describe('Identifier of the maintenance template. Null without a template.'),
  start_at: Moment.nullable().describe(
    'Start of the maintenance. Null for one in effect whose start is unknown.',
  ),
  block_new_sessions: z.boolean().describe('True if no new sessions are allowed.'),
  disconnect_sessions: z.boolean().describe('True if sessions are disconnected at the start.'),
  logoff_sessions: z.boolean().describe('True if sessions are logged off at the start.'),
  warn_minutes: z
    .int()
    .nullable()
    .describe('Minutes before the start at which users are warned. Null without a template.'),
});

const UnusedTemplate = z.strictObject({
  id: Id.describe('Identifier of the template.'),
  name: z.string().describe('Name of the template.'),
  start_at: Moment.nullable().describe('Start of the maintenance.'),
  end_at: Moment.nullable().describe('End of the maintenance. Null: when it is switched off.'),
});

export const MaintenanceCalendar = z.strictObject({
  generated_at: Moment.describe('When the calendar was read.'),
  from: Moment.describe('Start of the period.'),
  to: Moment.describe('End of the period.'),
  entries: z
    .array(Entry)
    .describe(
      'Maintenance that overlaps the period, ordered by site, farm, object and start, at most 500 entries. Workplaces in maintenance without a template are not included.',
    ),
  truncated: z.boolean().describe('True if there are more entries.'),
  unused_templates: z
    .array(UnusedTemplate)
    .describe('Templates with a time in the period that apply to no object, at most 50.'),
});

export async function readCalendar(
  ctx: WebuiCtx,
  { from, days, ...filters }: z.output<typeof CalendarFilters>,
): Promise<z.input<typeof MaintenanceCalendar>> {
  const start = from === undefined ? ctx.now : new Date(from);
  const period = { from: start, to: addSeconds(start, days * daySeconds) };
  const query: CalendarQuery = { ...period, ...filters, scope: ctx.scope };
  const [entries, unused] = await Promise.all([
    maintenanceCalendar(ctx.deps.db, query),
    unusedTemplates(ctx.deps.db, query),
  ]);
  return {
    generated_at: ctx.now.toISOString(),
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    entries: entries.slice(0, mostEntries),
    truncated: entries.length > mostEntries,
    unused_templates: unused,
  };
}
