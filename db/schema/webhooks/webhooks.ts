import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { users } from '../identity/users.ts';
import { sites } from '../sites/sites.ts';

/**
 * Receivers of events. The query of the address and both secrets are sealed; the former secret signs as well until `former_until`. `owner_id` is the
 * account whose rights decide what is delivered, null after its deletion. Events of changes before `active_since` are
 * not delivered. The columns from `disabled_reason` on are written by deliveries.
 */
export const webhooks = pgTable(
  'webhooks',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    comments: text().notNull().default(''),
    /** Without the query, in whose place is a mark. */
    url: text().notNull(),
    sealed_query: text(),
    ca_certificate: text(),
    events: text().array().notNull(),
    enabled: boolean().notNull().default(true),
    owner_id: uuid().references(() => users.id, { onDelete: 'set null' }),
    /** Null after the loss of `SECRET_KEY`, until the next rotation. */
    sealed_secret: text(),
    sealed_former_secret: text(),
    former_until: moment(),
    active_since: moment().notNull(),
    /** Why the portal has disabled the webhook. */
    disabled_reason: text().$type<'gone' | 'failing'>(),
    /** Time of the first failed attempt since the last success. */
    failing_since: moment(),
    last_success_at: moment(),
    /** Events that were not queued, because too many were waiting. */
    dropped: integer().notNull().default(0),
    /** Whether the monitoring journal has the present pause. */
    is_pause_noted: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex('webhooks_name_key').on(t.name_key), index('webhooks_owner').on(t.owner_id)],
);

/** The sites whose events a webhook receives; those of all sites without rows. */
export const webhookSites = pgTable(
  'webhook_sites',
  {
    webhook_id: uuid()
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    site_id: uuid()
      .notNull()
      .references(() => sites.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.webhook_id, t.site_id] }), index('webhook_sites_site').on(t.site_id)],
);
