import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';

/** Portals, from their heartbeats; administrators write only the tags. */
export const portals = pgTable(
  'portals',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    fqdn: text().notNull(),
    portal_type: text().$type<'admin' | 'user' | 'universal'>().notNull(),
    runtime: text().$type<'node' | 'workers' | 'lambda'>().notNull(),
    version: text().notNull(),
    build: text().notNull().default(''),
    os: text().notNull().default(''),
    started_at: moment().notNull(),
    last_seen_at: moment().notNull(),
    metrics: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    tags: text().array().notNull().default([]),
  },
  (t) => [uniqueIndex('portals_name_key').on(t.name_key), index('portals_seen').on(t.last_seen_at)],
);
