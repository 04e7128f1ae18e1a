import { sql } from 'drizzle-orm';
import { bigint, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { farms } from '../sites/farms.ts';

/** A validated service from a node. */
export type CachedService = {
  uuid: string;
  name: string;
  description: string;
  protocols: string[];
  /** `unknown` if the node reports no state, or one that is not supported. */
  state: 'ready' | 'busy' | 'maintenance' | 'unavailable' | 'unknown';
  in_use: boolean;
  /** Null if the node does not report it. */
  maintenance: boolean | null;
  maintenance_message?: string | undefined;
  sessions: { session_uuid: string; state: 'active' | 'disconnected' | 'unknown' }[];
  /** The user has a machine in the service. Absent if not, or if the node does not report it. */
  owned?: true | undefined;
};

/** Why the nodes of a farm refuse a user, see `shared/remotes/dispatcher/refusals.ts`. */
export type Refusal = 'unknown' | 'inactive' | 'no_groups' | 'privileged_account' | 'domain_not_linked';

/**
 * Service list cache, by user and farm. `subject` is that of the session key used for the request, so that the list
 * is not used with other groups, names or addresses.
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
    services: jsonb().$type<CachedService[]>().notNull(),
    /** Set if the nodes refuse the user. `services` is empty then. */
    refusal: text().$type<Refusal>(),
    /**
     * Digest of `services`; `revisionOf` calculates the same. Generated, so that no writer can store another one.
     * Backslashes are doubled, because the cast to `bytea` interprets them.
     */
    revision: text()
      .notNull()
      .generatedAlwaysAs(
        sql`left(translate(encode(sha256(replace(services::text, '\\', '\\\\')::bytea), 'base64'), '+/', '-_'), 22)`,
      ),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.farm_id] }), index('service_lists_age').on(t.fetched_at)],
);
