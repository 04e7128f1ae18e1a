import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { farms } from '../sites/farms.ts';
import { sites } from '../sites/sites.ts';
import { maintenanceTemplates } from './templates.ts';

/**
 * A maintenance by a template, or of a farm or site, from the order to its end; it is deleted when it ends.
 * `pool_uuid` and `workplace_uuid` are identifiers of the dispatcher; a workplace has both. `about` is the unique key
 * of the object.
 */
export const maintenanceWindows = pgTable(
  'maintenance_windows',
  {
    id: uuid().primaryKey().default(sql`gen_random_uuid()`),
    object_type: text().$type<'servicespool' | 'workplace' | 'farm' | 'site'>().notNull(),
    about: text().notNull(),
    object_name: text().notNull(),
    site_id: uuid().references(() => sites.id, { onDelete: 'cascade' }),
    farm_id: uuid().references(() => farms.id, { onDelete: 'cascade' }),
    pool_uuid: uuid(),
    workplace_uuid: uuid(),
    template_id: uuid().references(() => maintenanceTemplates.id, { onDelete: 'restrict' }),
    /** Overrides the message of the template. */
    message: text(),
    begun_at: moment(),
  },
  (t) => [
    uniqueIndex('maintenance_windows_object').on(t.about),
    index('maintenance_windows_template').on(t.template_id),
    index('maintenance_windows_farm').on(t.farm_id),
    index('maintenance_windows_site').on(t.site_id),
  ],
);
