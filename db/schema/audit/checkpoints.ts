import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * Signed checkpoints of the audit: the event `seq` has this `hash`, and the events up to `base_seq`, the last one
 * with `base_hash`, were removed by retention. Append-only, enforced by a trigger. `jws` contains the same values,
 * signed with the key `kid`; the other columns are for lookups.
 */
export const auditCheckpoints = pgTable(
  'audit_checkpoints',
  {
    seq: bigint({ mode: 'number' }).notNull(),
    hash: text().notNull(),
    base_seq: bigint({ mode: 'number' }).notNull(),
    base_hash: text().notNull(),
    at: moment().notNull(),
    kid: text().notNull(),
    jws: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.seq, t.base_seq, t.kid] }),
    index('audit_checkpoints_base').on(t.base_seq, t.seq),
  ],
);
