import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { sites } from '../sites/sites.ts';

/** How a user starts a service: a file for a client program of the protocol, or a link. */
const launches = ['rdp', 'spice', 'link'] as const;
export type Launch = (typeof launches)[number];

/**
 * Preferences of a user for a service, and the last connection issued for it. `service_id` is the identifier in the
 * service list in lower case. It is not a reference: a pool belongs to its dispatcher, and its list can be unavailable.
 */
export const servicePreferences = pgTable(
  'service_preferences',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    site_id: uuid()
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    /** At most 128 characters. */
    service_id: byteText().notNull(),
    favourite: boolean().notNull().default(false),
    last_used_at: moment(),
    launch: text().$type<Launch>(),
  },
  (t) => [
    primaryKey({ columns: [t.user_id, t.site_id, t.service_id] }),
    index('service_preferences_site').on(t.site_id),
  ],
);
