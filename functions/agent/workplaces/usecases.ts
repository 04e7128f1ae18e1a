import type { z } from 'zod';
import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { appendMonitoring, type MonitoringEntry } from '../../../db/repositories/monitoring/records.ts';
import { noteAgentSeen, updateWorkplaceRow } from '../../../db/repositories/snapshot/write-through.ts';
import type { Agent } from '../../../shared/agents/credentials.ts';
import { journalEntry } from '../../../shared/agents/journal.ts';
import type { AgentCtx } from '../deps.ts';
import { type EndpointCertificate, issueEndpointCertificate } from '../endpoint-certificate.ts';
import type { AddressBody, LogBody, VersionBody } from './schema.ts';

type Address = z.output<typeof AddressBody>;

/** The journal has the fingerprint of each certificate, so that the server at the agent's port can be verified. */
export async function noteReady(ctx: AgentCtx, { ip }: Address): Promise<EndpointCertificate> {
  const { principal: agent, now } = ctx;
  const { issued, fingerprint } = await issueEndpointCertificate(ip, now);
  const message = `The agent of ${agent.workplace.name} is ready`;
  const details = { ip, certificate_sha256: fingerprint };
  await storeReport(ctx, agent, { ip }, journalEntry(agent, now, { code: 'agent_ready', message, details }));
  return issued;
}

/** An unchanged address counts as a ready report. */
export async function changeAddress(
  ctx: AgentCtx,
  { ip, ...endpoint }: Address,
): Promise<EndpointCertificate> {
  const { principal: agent, now } = ctx;
  const before = agent.workplace.ip;
  if (ip === before) return noteReady(ctx, { ip, ...endpoint });
  const { issued, fingerprint } = await issueEndpointCertificate(ip, now);
  const message = `The address of ${agent.workplace.name} has changed to ${ip}`;
  const details = { before, after: ip, certificate_sha256: fingerprint };
  await storeReport(
    ctx,
    agent,
    { ip },
    journalEntry(agent, now, { code: 'agent_address_changed', message, details }),
  );
  return issued;
}

export async function noteVersion(ctx: AgentCtx, { version }: z.output<typeof VersionBody>): Promise<'ok'> {
  return storeReport(ctx, ctx.principal, { agent_version: version });
}

export const notePresence = (ctx: AgentCtx): Promise<'ok'> => present(ctx, ctx.principal);

export async function writeLog(
  ctx: AgentCtx,
  { level: sentLevel, message }: z.output<typeof LogBody>,
): Promise<'ok'> {
  const { principal: agent } = ctx;
  const level = levelOf(sentLevel, agent.workplace.agent_version);
  if (level === undefined || message.trim() === '') return present(ctx, agent);
  const entry = journalEntry(agent, ctx.now, { code: 'agent_log', level, message });
  await atomically(ctx.deps.db, (h) => [seen(h, ctx, agent), appendMonitoring(h, entry)]);
  return 'ok';
}

type WorkplaceValues = Parameters<typeof updateWorkplaceRow>[3];

/** Writes the report of an agent to the snapshot and to the journal, in one batch. */
async function storeReport(
  { deps, now }: AgentCtx,
  { farm, workplace }: Agent,
  values: WorkplaceValues,
  entry?: MonitoringEntry,
): Promise<'ok'> {
  const reported = { ...values, agent_seen_at: now.toISOString() };
  await atomically(deps.db, (h) => [
    updateWorkplaceRow(h, farm.id, workplace.uuid, reported),
    ...(entry ? [appendMonitoring(h, entry)] : []),
  ]);
  return 'ok';
}

const seen = (h: Db, { now }: AgentCtx, { farm, workplace }: Agent): Statement =>
  noteAgentSeen(h, farm.id, workplace.uuid, now);

/** The presence of an agent is written at most once a minute. */
async function present(ctx: AgentCtx, agent: Agent): Promise<'ok'> {
  if (!isRecentlySeen(ctx, agent)) await atomically(ctx.deps.db, (h) => [seen(h, ctx, agent)]);
  return 'ok';
}

export function isRecentlySeen(
  { now }: Pick<AgentCtx, 'now'>,
  { workplace }: Pick<Agent, 'workplace'>,
): boolean {
  const { agent_seen_at: before } = workplace;
  return before !== null && now.getTime() - before.getTime() < 60_000;
}

/** A Map, because `constructor` would be a valid key of an object. */
const words = new Map<string, MonitoringEntry['level']>([
  ['info', 'info'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['error', 'error'],
  ['critical', 'critical'],
  ['fatal', 'critical'],
]);

/**
 * Numbers below 1,000 are Python's (20 is `info`). OpenUDS actors since 4.0 send 10,000 for `other` up to 60,000 for `fatal`,
 * with `info` at 30,000; each level of the actors before is 10,000 lower.
 * @param version of the agent
 * @returns undefined below `info`; an unknown level is `info`
 */
function levelOf(
  given: string | number | undefined,
  version: string | null,
): MonitoringEntry['level'] | undefined {
  const number = Number(given ?? 'info');
  if (Number.isNaN(number)) {
    const word = String(given ?? 'info').toLowerCase();
    return ['debug', 'trace'].includes(word) ? undefined : (words.get(word) ?? 'info');
  }
  const first = /^[123]\./.test(version ?? '') ? 0 : 10;
  const rank = number >= 1000 ? number / 1000 - first : number;
  if (rank < 20) return undefined;
  if (rank < 30) return 'info';
  if (rank < 40) return 'warning';
  return rank < 50 ? 'error' : 'critical';
}
