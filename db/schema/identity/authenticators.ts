import { boolean, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';

/**
 * Authentication domains. `type` is a name of the registry of domain types. `params` of directory domains contain sealed secrets. `access_ended_at` is the time when
 * the domain was last disabled; a login that began earlier is rejected. `directory_authority` is the identity of the directory that
 * the servers of the domain showed first, or that an administrator has accepted. `other_directory` is that of another one, which
 * they show since `other_directory_at`; logins are rejected meanwhile.
 */
export const authenticators = pgTable(
  'authenticators',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    small_name: text().notNull(),
    small_name_key: byteText().notNull(),
    type: text().notNull(),
    comments: text().notNull().default(''),
    priority: integer().notNull().default(1),
    state: text().$type<'visible' | 'hidden' | 'disabled'>().notNull().default('visible'),
    subjects: text().$type<'all' | 'users' | 'staff'>().notNull().default('all'),
    two_factor: boolean().notNull().default(false),
    params: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    attributes: jsonb().$type<{ name: string; source: string; title: string }[]>().notNull().default([]),
    tags: text().array().notNull().default([]),
    builtin: boolean().notNull().default(false),
    access_ended_at: moment(),
    directory_authority: text(),
    other_directory: text(),
    other_directory_at: moment(),
  },
  (t) => [
    uniqueIndex('authenticators_name_key').on(t.name_key),
    uniqueIndex('authenticators_small_name_key').on(t.small_name_key),
  ],
);
