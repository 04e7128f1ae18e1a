import { and, eq, ne, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { noteNotice, possibleNotice } from '../../postgres/work-notice.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../monitoring/records.ts';

/** `failures`: consecutive failures that open a circuit. `probeS`: seconds between attempts while it is open. */
export type CircuitRules = { failures: number; probeS: number };

/**
 * Counts a failure of a node. The circuit opens at the `failures`th consecutive failure, with a monitoring record in
 * the same statement. Times are by the clock of the database, so that all isolates agree.
 */
export async function noteFailure(
  db: Db,
  id: string,
  { failures, probeS }: CircuitRules,
  record: MonitoringEntry,
): Promise<void> {
  const opens = sql`(d.circuit <> 'closed' or d.circuit_failures + 1 >= ${failures}::int)`;
  const { rows } = (await db.execute(sql`
    with node as (
      select id, circuit as before from ${dispatchers} where id = ${id}::uuid for no key update
    ), written as (
      update ${dispatchers} d set
        circuit_failures = d.circuit_failures + 1,
        circuit = case when ${opens} then 'open' else 'closed' end,
        circuit_opened_at = case when ${opens} then coalesce(d.circuit_opened_at, now()) end,
        circuit_probe_until = case when ${opens} then now() + make_interval(secs => ${probeS}) end
      from node where d.id = node.id returning node.before, d.circuit
    ), news as (
      select ${JSON.stringify(monitoringRow(record))}::jsonb as record from written
      where before = 'closed' and circuit = 'open'
    )
    ${insertMonitoring(sql`news`)} returning ${possibleNotice()}`)) as unknown as { rows: unknown[] };
  if (rows.length > 0) noteNotice();
}

/** Resets the failures of a node and closes its circuit, with a monitoring record if it was open. */
export async function noteSuccess(db: Db, id: string, record: MonitoringEntry): Promise<void> {
  await db.execute(sql`
    with node as (
      select id, circuit as before from ${dispatchers}
      where id = ${id}::uuid and (circuit <> 'closed' or circuit_failures > 0) for no key update
    ), written as (
      update ${dispatchers} d set circuit = 'closed', circuit_failures = 0, circuit_opened_at = null,
        circuit_probe_until = null
      from node where d.id = node.id returning node.before
    ), news as (
      select ${JSON.stringify(monitoringRow(record))}::jsonb as record from written where before <> 'closed'
    )
    ${insertMonitoring(sql`news`)}`);
}

const isDue = sql`coalesce(${dispatchers.circuit_probe_until} <= now(), true)`;

/** @returns true for the single caller that may try the node within `probeS` seconds */
export async function claimProbe(db: Db, id: string, probeS: number): Promise<boolean> {
  const claimed = await db
    .update(dispatchers)
    .set({ circuit: 'half_open', circuit_probe_until: sql`now() + make_interval(secs => ${probeS})` })
    .where(and(eq(dispatchers.id, id), ne(dispatchers.circuit, 'closed'), isDue))
    .returning({ id: dispatchers.id });
  return claimed.length > 0;
}

/** A node whose circuit is not closed, with the settings for a probe; `ca_certificate` is PEM. */
export type SuspectNode = Pick<
  typeof dispatchers.$inferSelect,
  | 'id'
  | 'kind'
  | 'name'
  | 'url'
  | 'verify_tls'
  | 'ca_certificate'
  | 'timeout_ms'
  | 'account_domain'
  | 'account_name'
  | 'account_password'
>;

/** Returns enabled nodes that may be tried now, longest waiting first. */
export const suspectNodes = (db: Db): Promise<SuspectNode[]> =>
  db
    .select({
      id: dispatchers.id,
      kind: dispatchers.kind,
      name: dispatchers.name,
      url: dispatchers.url,
      verify_tls: dispatchers.verify_tls,
      ca_certificate: dispatchers.ca_certificate,
      timeout_ms: dispatchers.timeout_ms,
      account_domain: dispatchers.account_domain,
      account_name: dispatchers.account_name,
      account_password: dispatchers.account_password,
    })
    .from(dispatchers)
    .where(and(dispatchers.enabled, ne(dispatchers.circuit, 'closed'), isDue))
    .orderBy(dispatchers.circuit_probe_until)
    .limit(200);
