import { pgTable, text } from 'drizzle-orm/pg-core';

/**
 * Rows that a batch locks before it checks a rule over several rows (the last administrator, references), so that
 * concurrent batches run in sequence.
 */
export const guards = pgTable('guards', { name: text().primaryKey() });
