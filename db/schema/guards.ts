import { pgTable, text } from 'drizzle-orm/pg-core';

/**
 * Named rows that a batch locks before it judges a rule over several rows (the last administrator, references),
 * so that two such batches follow one another.
 */
export const guards = pgTable('guards', { name: text().primaryKey() });
