import { and, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type { Parameters } from '../../shared/kernel/system-parameters.ts';
import type { Db } from '../client.ts';
import { dispatcherSessions } from '../schema/dispatcher-sessions.ts';
import { exportedChunks } from '../schema/exported-chunks.ts';
import { exportedFiles } from '../schema/exported-files.ts';
import { idempotencyKeys } from '../schema/idempotency-keys.ts';
import { issuedConnections } from '../schema/issued-connections.ts';
import { loginLocks } from '../schema/login-locks.ts';
import { loginSessions } from '../schema/login-sessions.ts';
import { monitoringRecords } from '../schema/monitoring-records.ts';
import { serviceLists } from '../schema/service-lists.ts';

/** Rows that nobody will look at any more. */
export type Leftover = { table: PgTable; where: SQL | undefined };

const ago = (seconds: number): SQL => sql`now() - ${seconds}::float8 * interval '1 second'`;
const day = 86_400;

/** What has outlived its time, by the clock of the database and the parameters in force. */
export const leftovers = (parameters: Parameters): readonly Leftover[] => [
  {
    table: loginSessions,
    where: or(
      lt(loginSessions.last_seen_at, ago(parameters['session.idle_s'])),
      ...(['admin', 'user'] as const).map((portal) =>
        and(
          sql`${loginSessions.portal} = ${portal}`,
          lt(loginSessions.created_at, ago(parameters[`session.${portal}_absolute_s`])),
        ),
      ),
    ),
  },
  { table: dispatcherSessions, where: lt(dispatcherSessions.expires_at, sql`now()`) },
  { table: idempotencyKeys, where: lt(idempotencyKeys.created_at, ago(day)) },
  { table: serviceLists, where: lt(serviceLists.fetched_at, ago(day)) },
  { table: issuedConnections, where: lt(issuedConnections.issued_at, ago(90 * day)) },
  {
    table: loginLocks,
    where: and(
      sql`coalesce(${loginLocks.locked_until}, '-infinity') < now()`,
      sql`coalesce(${loginLocks.last_failure_at}, '-infinity') < ${ago(day)}`,
      sql`coalesce(${loginLocks.last_good_at}, '-infinity') < ${ago(30 * day)}`,
    ),
  },
  // Until then whoever asks for the file learns that it expired.
  {
    table: exportedFiles,
    where: and(isNull(exportedFiles.file), lt(exportedFiles.expires_at, ago(30 * day))),
  },
  // What an attempt wrote between being given up and learning of it.
  {
    table: exportedChunks,
    where: sql`not exists(select 1 from ${exportedFiles} where ${exportedFiles.file} = ${exportedChunks.file})`,
  },
  {
    table: monitoringRecords,
    where: lt(monitoringRecords.at, ago(parameters['monitoring.retention_days'] * day)),
  },
];

/** Rows of one statement: none holds its locks for long. */
const atOnce = 5_000;

/** Deletes leftovers of one table, a bounded statement after the other. @returns how many there were */
export async function deleteLeftovers(
  db: Db,
  { table, where }: Leftover,
  signal: AbortSignal,
): Promise<number> {
  const name = sql.identifier(getTableConfig(table).name);
  let deleted = 0;
  for (let last = atOnce; last === atOnce && !signal.aborted; deleted += last) {
    const rows = await db
      .delete(table)
      .where(sql`${name}.ctid = any(array(select ctid from ${table} where ${where} limit ${atOnce}::int))`)
      .returning({ one: sql`1` });
    last = rows.length;
  }
  return deleted;
}
