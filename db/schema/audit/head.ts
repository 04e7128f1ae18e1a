import { bigint, boolean, pgTable, text } from 'drizzle-orm/pg-core';

/**
 * How far the audit is sealed, in one row: events that vanish from the end of the chain are missed by it.
 * `hash` is that of the event `seq`; before the first one, zeros.
 */
export const auditHead = pgTable('audit_head', {
  only: boolean().primaryKey().default(true),
  seq: bigint({ mode: 'number' }).notNull(),
  hash: text().notNull(),
});
