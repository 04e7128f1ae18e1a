import { boolean, index, integer, pgTable, real, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, ignoredIndex, moment, snapshotColumns } from '../columns.ts';
import { maintenanceTemplates } from '../maintenance/templates.ts';
import { farms } from '../sites/farms.ts';

/**
 * Pools in the snapshot. `uuid` is the identifier of the dispatcher; the template belongs to the portal. A column is
 * null if the dispatcher does not report it; `name_key` of a pool without a name is empty.
 */
export const pools = pgTable(
  'pools',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    name: text(),
    name_key: byteText().notNull(),
    short_name: text(),
    comments: text(),
    state: text().notNull(),
    visible: boolean(),
    maintenance: boolean(),
    maintenance_message: text(),
    maintenance_template_id: uuid().references(() => maintenanceTemplates.id, { onDelete: 'restrict' }),
    maintenance_since: moment(),
    protocols: text().array(),
    initial_srvs: integer(),
    cache_l1_srvs: integer(),
    cache_l2_srvs: integer(),
    max_srvs: integer(),
    workplaces_count: integer(),
    in_use_count: integer(),
    in_preparation_count: integer(),
    usage_percent: real(),
    restrained: boolean(),
    tags: text().array(),
  },
  (t) => [
    uniqueIndex('pools_uuid').on(t.farm_id, t.uuid),
    index('pools_name').on(t.name_key, t.id),
    index('pools_farm').on(t.farm_id, t.name_key, t.id),
    index('pools_by_uuid').on(t.uuid),
    index('pools_template').on(t.maintenance_template_id),
    ignoredIndex('pools_ignored', t),
  ],
);
