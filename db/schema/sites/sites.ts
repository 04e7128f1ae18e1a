import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { byteText, recordColumns } from '../columns.ts';
import { authenticators } from '../identity/authenticators.ts';
import { groups } from '../identity/groups.ts';
import { users } from '../identity/users.ts';
import { maintenanceTemplates } from '../maintenance/templates.ts';

export const sites = pgTable(
  'sites',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    uri: byteText().notNull(),
    comments: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    maintenance: boolean().notNull().default(false),
    maintenance_template_id: uuid().references(() => maintenanceTemplates.id, { onDelete: 'restrict' }),
    priority: integer().notNull().default(1),
    /** Allows direct connections while none of the applicable gateways is alive. */
    direct_when_gateways_fail: boolean().notNull().default(false),
    location: jsonb().$type<{ latitude: number; longitude: number; country: string }>(),
  },
  (t) => [
    uniqueIndex('sites_name_key').on(t.name_key),
    uniqueIndex('sites_uri').on(t.uri),
    index('sites_template').on(t.maintenance_template_id),
  ],
);

const siteId = () =>
  uuid()
    .notNull()
    .references(() => sites.id, { onDelete: 'cascade' });

/** Domains whose active users may use the site. */
export const siteAuthenticators = pgTable(
  'site_authenticators',
  {
    site_id: siteId(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'restrict' }),
  },
  (t) => [
    primaryKey({ columns: [t.site_id, t.authenticator_id] }),
    index('site_authenticators_domain').on(t.authenticator_id),
  ],
);

export const siteUsers = pgTable(
  'site_users',
  {
    site_id: siteId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.site_id, t.user_id] }), index('site_users_user').on(t.user_id)],
);

export const siteGroups = pgTable(
  'site_groups',
  {
    site_id: siteId(),
    group_id: uuid()
      .notNull()
      .references(() => groups.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.site_id, t.group_id] }), index('site_groups_group').on(t.group_id)],
);
