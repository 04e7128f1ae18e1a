import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { type GatewayStats, gateways as table } from '../../schema/gateways/gateways.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../monitoring/records.ts';
import { gatewayStats, isOnline, onlineUntil } from './gateways.ts';

/** The data of a heartbeat; undefined members keep their stored value. */
export type Heartbeat = Readonly<Record<keyof GatewayStats, number | undefined>> & {
  version: string | undefined;
};
export type GatewayStatus = { id: string; name: string; noted_status: 'pass' | 'fail' | 'unknown' };

/** The maximum of the column type. */
const mostReported = 2_147_483_647;

/** @returns the id of the gateway with this token */
export async function findGateway(db: Db, tokenHash: string): Promise<string | undefined> {
  const [row] = await db.select({ id: table.id }).from(table).where(eq(table.token_hash, tokenHash));
  return row?.id;
}

/**
 * Records a heartbeat, by the clock of the database. The revision does not change, because no setting changes. One
 * statement.
 * @returns the last status written to the journal, or undefined for an unknown token
 */
export async function noteHeartbeat(
  db: Db,
  tokenHash: string,
  { version, ...figures }: Heartbeat,
): Promise<GatewayStatus | undefined> {
  const [heard] = await db
    .update(table)
    .set({
      last_seen_at: sql`now()`,
      stats: sql`${gatewayStats} || ${JSON.stringify(figures)}::jsonb`,
      ...(figures.connections !== undefined && {
        reported_connections: sql`least(${figures.connections}::bigint, ${mostReported})`,
        reported_at: sql`now()`,
      }),
      noted_status: sql`case when ${table.noted_status} = 'fail' then 'fail' else 'pass' end`,
      ...(version !== undefined && { version }),
    })
    .where(eq(table.token_hash, tokenHash))
    .returning({ id: table.id, name: table.name, noted_status: table.noted_status });
  return heard;
}

/** Returns active gateways whose heartbeats have stopped, if the journal does not contain that yet. */
export const silentGateways = (db: Db) =>
  db.select({ id: table.id, name: table.name }).from(table).where(isNewlySilent);

const isObserved = and(
  eq(table.noted_status, 'pass'),
  sql`${table.enabled} and not ${table.maintenance}`,
) as SQL;
const isNewlySilent = and(isObserved, sql`not ${isOnline}`);

/** When gateways become silent. */
export const silenceAt = { at: onlineUntil, where: isObserved };

type StatusRecord = { id: string; record: MonitoringEntry };

/** Writes to the journal in one statement. A concurrent call waits for the row lock and then writes nothing. */
export const noteSilence = (db: Db, news: readonly StatusRecord[]): Promise<void> =>
  writeStatus(db, 'fail', news, isNewlySilent);

export const noteReturn = (db: Db, news: StatusRecord): Promise<void> =>
  writeStatus(db, 'pass', [news], eq(table.noted_status, 'fail'));

async function writeStatus(
  db: Db,
  status: 'pass' | 'fail',
  news: readonly StatusRecord[],
  isChange: SQL | undefined,
): Promise<void> {
  if (news.length === 0) return;
  const rows = news.map(({ id, record }) => ({ id, record: monitoringRow(record) }));
  await db.execute(sql`
    with updated as (
      update ${table} set noted_status = ${status}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as news(id uuid, record jsonb)
      where ${table.id} = news.id and ${isChange}
      returning news.record
    )
    ${insertMonitoring(sql`updated`)}`);
}
