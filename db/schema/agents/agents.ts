import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { farms } from '../sites/farms.ts';

/**
 * Registrations that agents are installed with. Only the SHA-256 of the token is stored. `machine` identifies the
 * registered machine; `sites` restricts the workplaces to be matched, null for all sites.
 */
export const agentRegistrations = pgTable(
  'agent_registrations',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    machine: byteText().notNull(),
    sites: uuid().array(),
    token_hash: text().notNull(),
    created_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('agent_registrations_token').on(t.token_hash),
    index('agent_registrations_machine').on(t.machine),
  ],
);

/**
 * The agent of one workplace, by the dispatcher's identifier, with its own token. The token derives from the token of
 * the registration and `nonce`; `used_at` is the time of its first use.
 */
export const workplaceAgents = pgTable(
  'workplace_agents',
  {
    id: uuid().primaryKey(),
    registration_id: uuid()
      .notNull()
      .references(() => agentRegistrations.id, { onDelete: 'cascade' }),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    workplace_uuid: uuid().notNull(),
    token_hash: text().notNull(),
    nonce: text(),
    used_at: moment(),
    created_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('workplace_agents_token').on(t.token_hash),
    uniqueIndex('workplace_agents_workplace').on(t.farm_id, t.workplace_uuid),
    index('workplace_agents_registration').on(t.registration_id),
  ],
);
