import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { maintenanceTemplates } from '../maintenance/templates.ts';
import { sites } from './sites.ts';

/** A domain of the portal with its label on the nodes of a farm, and the form of its login names there. */
export type IdentityDomain = {
  label: string;
  node_label: string;
  user_names: 'unchanged' | 'lower_case' | 'without_suffix';
};

export const farms = pgTable(
  'farms',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    site_id: uuid()
      .notNull()
      .references(() => sites.id, { onDelete: 'restrict' }),
    comments: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    maintenance: boolean().notNull().default(false),
    maintenance_template_id: uuid().references(() => maintenanceTemplates.id, { onDelete: 'restrict' }),
    weight: integer().notNull().default(10),
    balancing: text().$type<'priority' | 'round_robin' | 'least_loaded'>().notNull().default('priority'),
    /** Users that the nodes do not have may be created there. */
    creates_users: boolean().notNull().default(false),
    identity_domains: jsonb().$type<IdentityDomain[]>().notNull().default([]),
  },
  (t) => [
    uniqueIndex('farms_name_key').on(t.name_key),
    index('farms_site').on(t.site_id),
    index('farms_template').on(t.maintenance_template_id),
  ],
);
