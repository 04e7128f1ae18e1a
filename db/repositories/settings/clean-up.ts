import { and, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import type { Parameters } from '../../../shared/kernel/system-parameters.ts';
import type { Db } from '../../client.ts';
import { workplaceAgents } from '../../schema/agents/agents.ts';
import { sessionAgents, sessionMessages } from '../../schema/agents/session-agents.ts';
import { alertMails, alerts } from '../../schema/alerts/alerts.ts';
import { exportedChunks } from '../../schema/exports/chunks.ts';
import { exportedFiles } from '../../schema/exports/files.ts';
import { gatewayTickets } from '../../schema/gateways/tickets.ts';
import { loginChallenges } from '../../schema/identity/login-challenges.ts';
import { loginLocks } from '../../schema/identity/login-locks.ts';
import { loginSessions } from '../../schema/identity/login-sessions.ts';
import { pageTokens } from '../../schema/identity/page-tokens.ts';
import { spentPasskeyChallenges } from '../../schema/identity/passkeys/challenges.ts';
import { peerSessions } from '../../schema/identity/peers.ts';
import { pkinitChallenges } from '../../schema/identity/pkinit-challenges.ts';
import { programGrants } from '../../schema/identity/providers/program-grants.ts';
import { providerLogins, usedProviderValues } from '../../schema/identity/providers/sessions.ts';
import { signInTests } from '../../schema/identity/providers/sign-in-tests.ts';
import { idempotencyKeys } from '../../schema/jobs/idempotency-keys.ts';
import { monitoringRecords } from '../../schema/monitoring/records.ts';
import { dispatcherSessions } from '../../schema/routing/dispatcher-sessions.ts';
import { endedNodeKeys } from '../../schema/routing/ended-node-keys.ts';
import { issuedConnections } from '../../schema/routing/issued-connections.ts';
import { nodeLogins } from '../../schema/sites/node-logins.ts';
import { tags } from '../../schema/sites/tags.ts';
import { serviceLists } from '../../schema/snapshot/service-lists.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { webhookDeliveries } from '../../schema/webhooks/deliveries.ts';
import { ofAgent } from '../agents/agents.ts';
import { isObsoleteLock } from '../identity/login/limits.ts';
import { isExpiredKey } from '../jobs/idempotency-keys.ts';
import { isObsoleteTag } from '../sites/dispatcher-tags.ts';
import { isSurplus } from '../webhooks/deliveries.ts';

/** Rows that are no longer needed. */
export type ExpiredRows = { table: PgTable; where: SQL | undefined };

const day = 86_400;

type Ago = (seconds: number) => Date;

/** Keys of nodes, and logins at nodes. */
const ofNodes = (now: Date, ago: Ago): ExpiredRows[] => [
  { table: dispatcherSessions, where: lt(dispatcherSessions.expires_at, now) },
  { table: endedNodeKeys, where: lt(endedNodeKeys.expires_at, now) },
  // The key of an account that is in use is renewed within a day.
  { table: nodeLogins, where: lt(nodeLogins.held_until, ago(7 * day)) },
];

/** The expired rows of all tables, by the current parameters. */
export const expiredRows = (parameters: Parameters, now: Date): readonly ExpiredRows[] => {
  const ago: Ago = (seconds) => addSeconds(now, -seconds);
  return [
    ...ofLogins(parameters, now, ago),
    ...ofNodes(now, ago),
    { table: idempotencyKeys, where: isExpiredKey(now) },
    { table: serviceLists, where: lt(serviceLists.fetched_at, ago(day)) },
    ...ofAgents(ago),
    { table: issuedConnections, where: lt(issuedConnections.issued_at, ago(90 * day)) },
    // Used tickets are kept with their tunnels, which contain the traffic of their session.
    {
      table: gatewayTickets,
      where: or(
        and(isNull(gatewayTickets.used_at), lt(gatewayTickets.issued_at, ago(3_600))),
        lt(gatewayTickets.issued_at, ago(90 * day)),
      ),
    },
    // Tags of a deleted farm.
    { table: tags, where: isObsoleteTag },
    // Until then a request for the file is answered with `expired`.
    {
      table: exportedFiles,
      where: and(isNull(exportedFiles.file), lt(exportedFiles.expires_at, ago(30 * day))),
    },
    // Chunks written by an attempt after it was superseded.
    {
      table: exportedChunks,
      where: sql`not exists(select 1 from ${exportedFiles} where ${exportedFiles.file} = ${exportedChunks.file})`,
    },
    { table: webhookDeliveries, where: or(lt(webhookDeliveries.created_at, ago(30 * day)), isSurplus) },
    // Mails can be unavailable for this time.
    { table: alerts, where: lt(alerts.at, ago(7 * day)) },
    { table: alertMails, where: lt(alertMails.sent_at, ago(day)) },
    {
      table: monitoringRecords,
      where: lt(monitoringRecords.at, ago(parameters['monitoring.retention_days'] * day)),
    },
  ];
};

const ofAgents = (ago: Ago): ExpiredRows[] => [
  // Agents of pools whose workplaces are recreated for each session.
  {
    table: workplaceAgents,
    where: and(
      lt(workplaceAgents.created_at, ago(30 * day)),
      sql`not exists(select 1 from ${workplaces} where ${ofAgent})`,
    ),
  },
  // A session agent that resumes registers again.
  { table: sessionAgents, where: lt(sessionAgents.last_seen_at, ago(day)) },
  { table: sessionMessages, where: lt(sessionMessages.created_at, ago(3_600)) },
];

const ofLogins = (parameters: Parameters, now: Date, ago: Ago): ExpiredRows[] => [
  {
    table: loginSessions,
    where: or(
      lt(loginSessions.last_seen_at, ago(parameters['session.idle_s'])),
      lt(loginSessions.idle_until, ago(0)),
      ...(['admin', 'user'] as const).map((portal) =>
        and(
          sql`${loginSessions.portal} = ${portal}`,
          lt(loginSessions.created_at, ago(parameters[`session.${portal}_absolute_s`])),
        ),
      ),
    ),
  },
  {
    table: peerSessions,
    where: or(
      lt(peerSessions.last_seen_at, ago(parameters['session.idle_s'])),
      lt(peerSessions.idle_until, now),
      lt(peerSessions.created_at, ago(parameters['session.admin_absolute_s'])),
    ),
  },
  { table: pageTokens, where: lt(pageTokens.expires_at, now) },
  { table: loginChallenges, where: lt(loginChallenges.expires_at, now) },
  { table: pkinitChallenges, where: lt(pkinitChallenges.expires_at, now) },
  { table: providerLogins, where: lt(providerLogins.expires_at, now) },
  { table: signInTests, where: lt(signInTests.expires_at, now) },
  { table: usedProviderValues, where: lt(usedProviderValues.kept_until, now) },
  { table: spentPasskeyChallenges, where: lt(spentPasskeyChallenges.expires_at, now) },
  { table: programGrants, where: lt(programGrants.kept_until, now) },
  { table: loginLocks, where: isObsoleteLock(now) },
];

/** Rows per statement, so that no statement holds its locks for long. */
const batchSize = 5_000;

/**
 * Deletes the expired rows of one table in bounded statements. Locked rows are skipped until the next run, so that
 * neither side waits.
 * @returns the number of deleted rows
 */
export async function deleteExpired(
  db: Db,
  { table, where }: ExpiredRows,
  signal: AbortSignal,
  most = batchSize,
): Promise<number> {
  const name = sql.identifier(getTableConfig(table).name);
  let deleted = 0;
  for (let last = most; last === most && !signal.aborted; deleted += last) {
    const rows = await db
      .delete(table)
      .where(
        sql`${name}.ctid = any(array(select ctid from ${table} where ${where} limit ${most}::int for update skip locked))`,
      )
      .returning({ one: sql`1` });
    last = rows.length;
  }
  return deleted;
}
