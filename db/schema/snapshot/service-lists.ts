import { bigint, index, jsonb, pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { farms } from '../sites/farms.ts';

/** A service as a node gave it, checked. */
export type KeptService = {
  uuid: string;
  name: string;
  description: string;
  protocols: string[];
  /** `unknown` where the node does not report it in a word that we know. */
  state: 'ready' | 'busy' | 'maintenance' | 'unavailable' | 'unknown';
  in_use: boolean;
  /** Null where the node does not report it. */
  maintenance: boolean | null;
  maintenance_message?: string | undefined;
  sessions: { session_uuid: string; state: 'active' | 'disconnected' | 'unknown' }[];
};

/**
 * What a farm's dispatchers gave one user as his services, kept for a moment. `subject` is that of the session key
 * the list was got with, so that other groups, another name or another address do not see it.
 */
export const serviceLists = pgTable(
  'service_lists',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    subject: byteText().notNull(),
    entitlement: bigint({ mode: 'number' }).notNull(),
    fetched_at: moment().notNull(),
    services: jsonb().$type<KeptService[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.farm_id] }), index('service_lists_age').on(t.fetched_at)],
);
