import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Too many rows for one file; the last attempt failed; no attempt ended in time. */
export const exportFailures = ['too_many_rows', 'not_written', 'late'] as const;
export type ExportFailure = (typeof exportFailures)[number];

/**
 * Exports, from the order until some time after the file is gone. `file` is where the attempt that counts writes, or has
 * written; who works on an attempt that counts no more finds another one there. `upload_id` is of a file that an object
 * store holds and that may be unfinished. Deleting an account leaves its exports, since somebody must delete the files.
 */
export const exportedFiles = pgTable(
  'exported_files',
  {
    id: uuid().primaryKey(),
    owner_id: uuid().notNull(),
    subject: text().$type<'audit' | 'monitoring' | 'tags' | 'portals'>().notNull(),
    format: text().$type<'csv' | 'ndjson' | 'json' | 'cef'>().notNull(),
    filters: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Of subject, format and filters: what makes two orders of one owner equal. */
    fingerprint: text().notNull(),
    state: text().$type<'pending' | 'running' | 'ready' | 'failed'>().notNull().default('pending'),
    rows: bigint({ mode: 'number' }),
    bytes: bigint({ mode: 'number' }),
    /** Hexadecimal. */
    sha256: text(),
    progress: doublePrecision().notNull().default(0),
    store: text().$type<'database' | 's3'>().notNull().default('database'),
    file: uuid(),
    upload_id: text(),
    /** Why it failed: a word of ours. */
    reason: text().$type<ExportFailure>(),
    created_at: moment().notNull(),
    ended_at: moment(),
    expires_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('exported_files_under_way')
      .on(t.owner_id, t.fingerprint)
      .where(sql`${t.state} in ('pending', 'running')`),
    index('exported_files_owner').on(t.owner_id, t.subject, t.created_at),
    index('exported_files_expiry').on(t.expires_at),
    uniqueIndex('exported_files_file').on(t.file),
  ],
);
