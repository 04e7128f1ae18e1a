import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * What we have signed of the audit: that the event `seq` has this `hash`, and that the events up to `base_seq`, whose
 * last one had `base_hash`, are gone because their time was over. Append-only (a trigger holds it). `jws` says the same,
 * signed by the key `kid`; the other columns are only there to be found by.
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
