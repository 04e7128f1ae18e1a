import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, ignoredIndex, moment, snapshotColumns } from '../columns.ts';
import { farms } from '../sites/farms.ts';

/**
 * Workplaces in the snapshot. `owner_key` is `<folded label>\<folded name>`. The pool is referenced by the
 * dispatcher's identifier, because its row may be inserted later. A column is null if the dispatcher does not report
 * it.
 */
export const workplaces = pgTable(
  'workplaces',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    servicepool_uuid: uuid(),
    servicepool_name: text(),
    name: text(),
    name_key: byteText().notNull(),
    unique_id: text(),
    hostname: text(),
    ip: text(),
    state: text().notNull(),
    machine_state: text().notNull(),
    owner_domain: text(),
    owner_name: text(),
    owner_key: byteText(),
    in_use: boolean(),
    in_use_since: moment(),
    client_ip: text(),
    client_host: text(),
    maintenance: boolean(),
    tags: text().array(),
    agent_version: text(),
    agent_seen_at: moment(),
    node_revision: integer(),
    made_at: moment(),
    /** End of the lease on a change of the owner. */
    assigning_until: moment(),
  },
  (t) => [
    uniqueIndex('workplaces_uuid').on(t.farm_id, t.uuid),
    index('workplaces_name').on(t.name_key, t.id),
    index('workplaces_created').on(t.made_at),
    index('workplaces_farm').on(t.farm_id, t.name_key, t.id),
    index('workplaces_pool').on(t.farm_id, t.servicepool_uuid, t.name_key, t.id),
    index('workplaces_owner').on(t.owner_key, t.name_key, t.id),
    index('workplaces_owner_name').on(
      sql`substr(${t.owner_key}, strpos(${t.owner_key}, chr(92)) + 1)`,
      t.name_key,
      t.id,
    ),
    index('workplaces_search').using('gin', t.name_key.op('gin_trgm_ops')),
    index('workplaces_tags').using('gin', t.tags),
    index('workplaces_machine').on(t.unique_id),
    ignoredIndex('workplaces_ignored', t),
  ],
);
