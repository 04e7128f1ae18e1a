import { boolean, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/**
 * One row for the installation. `secret_key_check` is a constant sealed with `SECRET_KEY`: a process whose keys
 * cannot open it must not start. `written_at` is updated by the health check to verify that the database accepts
 * writes. `resting_since` is set while the sidecars send no statements (`DATABASE_MAY_SUSPEND`).
 */
export const installation = pgTable('installation', {
  only: boolean().primaryKey().default(true),
  secret_key_check: text(),
  written_at: moment(),
  resting_since: moment(),
});
