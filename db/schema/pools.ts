import { boolean, index, integer, pgTable, real, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, snapshotColumns } from './columns.ts';
import { farms } from './farms.ts';
import { maintenanceTemplates } from './maintenance-templates.ts';

/** Pools of the dispatchers as the snapshot saw them; `uuid` is the dispatcher's, the template ours. */
export const pools = pgTable(
  'pools',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    name: text().notNull(),
    name_key: byteText().notNull(),
    short_name: text().notNull(),
    comments: text().notNull(),
    state: text().notNull(),
    visible: boolean().notNull(),
    maintenance: boolean().notNull(),
    maintenance_message: text(),
    maintenance_template_id: uuid().references(() => maintenanceTemplates.id, { onDelete: 'restrict' }),
    maintenance_since: moment(),
    protocols: text().array().notNull(),
    initial_srvs: integer().notNull(),
    cache_l1_srvs: integer().notNull(),
    cache_l2_srvs: integer().notNull(),
    max_srvs: integer().notNull(),
    workplaces_count: integer().notNull(),
    in_use_count: integer().notNull(),
    in_preparation_count: integer().notNull(),
    usage_percent: real().notNull(),
    restrained: boolean().notNull(),
    tags: text().array().notNull(),
  },
  (t) => [
    uniqueIndex('pools_uuid').on(t.farm_id, t.uuid),
    index('pools_name').on(t.name_key, t.id),
    index('pools_farm').on(t.farm_id, t.name_key, t.id),
    index('pools_by_uuid').on(t.uuid),
    index('pools_template').on(t.maintenance_template_id),
  ],
);
