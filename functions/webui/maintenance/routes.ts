import { base, endpoint } from '../deps.ts';
import { CalendarFilters, MaintenanceCalendar, readCalendar } from './calendar.ts';
import { maintenanceCrud } from './record.ts';
import { createTemplate, replaceTemplate, updateTemplate } from './usecases.ts';

const { operations, declared, target } = maintenanceCrud;

export const maintenanceOperations = [
  ...operations,
  endpoint(
    {
      id: 'maintenance_template.calendar',
      route: `GET ${base}/maintenance/calendar`,
      access: 'maintenance.read',
      summary: 'Get the maintenance calendar',
      description:
        'The maintenance of sites, farms, pools and workplaces in a period, within the scope of the caller.',
      query: CalendarFilters,
      mayLag: true,
      returns: [200, MaintenanceCalendar],
    },
    (ctx, { query }) => readCalendar(ctx, query),
  ),
  endpoint(declared.create, (ctx, { body }) => createTemplate(ctx, body)),
  endpoint(declared.replace, (ctx, input) => replaceTemplate(ctx, target(input), input.body)),
  endpoint(declared.update, (ctx, input) => updateTemplate(ctx, target(input), input.body)),
];
