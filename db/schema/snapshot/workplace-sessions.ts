import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, ignoredIndex, moment, snapshotColumns } from '../columns.ts';
import { farms } from '../sites/farms.ts';

/**
 * Live workplace sessions in the snapshot. `user_key` is `<folded label>\<folded name>`, or empty without a name.
 * `started_at` is `-infinity` if the dispatcher does not report it; other columns are null then.
 */
export const workplaceSessions = pgTable(
  'workplace_sessions',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    servicepool_uuid: uuid(),
    servicepool_name: text(),
    workplace_uuid: uuid(),
    workplace_name: text(),
    workplace_ip: text(),
    user_name: text(),
    user_domain: text(),
    user_key: byteText().notNull(),
    protocol: text(),
    client_ip: text(),
    client_host: text(),
    gateway_id: uuid(),
    state: text().notNull(),
    started_at: moment().notNull(),
    last_seen_at: moment(),
  },
  (t) => [
    uniqueIndex('workplace_sessions_uuid').on(t.farm_id, t.uuid),
    index('workplace_sessions_started').on(t.started_at, t.id),
    index('workplace_sessions_farm').on(t.farm_id, t.started_at, t.id),
    index('workplace_sessions_user').on(t.user_key, t.started_at, t.id),
    index('workplace_sessions_user_name').on(
      sql`substr(${t.user_key}, strpos(${t.user_key}, chr(92)) + 1)`,
      t.started_at,
      t.id,
    ),
    index('workplace_sessions_search').using('gin', t.user_key.op('gin_trgm_ops')),
    index('workplace_sessions_workplace').on(t.farm_id, t.workplace_uuid),
    ignoredIndex('workplace_sessions_ignored', t),
  ],
);
