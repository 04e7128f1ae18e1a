import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, snapshotColumns } from './columns.ts';
import { farms } from './farms.ts';

/** Live workplace sessions as the snapshot saw them. `user_key` is `<folded label>\<folded name>`. */
export const workplaceSessions = pgTable(
  'workplace_sessions',
  {
    ...snapshotColumns,
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    uuid: uuid().notNull(),
    servicepool_uuid: uuid().notNull(),
    servicepool_name: text().notNull(),
    workplace_uuid: uuid().notNull(),
    workplace_name: text().notNull(),
    workplace_ip: text().notNull(),
    user_name: text().notNull(),
    user_domain: text().notNull(),
    user_key: byteText().notNull(),
    protocol: text().notNull(),
    client_ip: text(),
    client_host: text(),
    gateway_id: uuid(),
    state: text().notNull(),
    started_at: moment().notNull(),
    last_seen_at: moment().notNull(),
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
  ],
);
