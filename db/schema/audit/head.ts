import { bigint, boolean, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * The end of the sealed audit, in one row, which detects events missing at the end of the chain. `hash` is the hash
 * of event `seq`, or zeros before the first one.
 */
export const auditHead = pgTable('audit_head', {
  only: boolean().primaryKey().default(true),
  seq: bigint({ mode: 'number' }).notNull(),
  hash: text().notNull(),
});
