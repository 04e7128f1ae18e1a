import { sql } from 'drizzle-orm';
import { bigint, doublePrecision, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Too many rows for a file; the last attempt failed; no attempt finished in time. */
export const exportFailures = ['too_many_rows', 'not_written', 'late'] as const;
export type ExportFailure = (typeof exportFailures)[number];

/**
 * Exports, from the order until some time after the file was deleted. `file` is the file of the current attempt; a
 * superseded attempt finds another id there. `upload_id` belongs to a file in an object store that may be incomplete.
 * Exports of a deleted account are kept, because their files must still be deleted.
 */
export const exportedFiles = pgTable(
  'exported_files',
  {
    id: uuid().primaryKey(),
    owner_id: uuid().notNull(),
    subject: text().$type<'audit' | 'monitoring' | 'tags' | 'portals'>().notNull(),
    format: text().$type<'csv' | 'ndjson' | 'json' | 'cef'>().notNull(),
    filters: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Fingerprint of subject, format and filters. Orders of one owner with the same fingerprint are equal. */
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
    /** Reason of a failure. */
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
