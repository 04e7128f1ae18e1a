import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { admitAgent, findMachines } from '../../../db/repositories/agents/agents.ts';
import { appendMonitoring, type MonitoringEntry } from '../../../db/repositories/monitoring/records.ts';
import { updateWorkplaceRow } from '../../../db/repositories/snapshot/write-through.ts';
import { agentTokenOf } from '../../../shared/access/agent-tokens.ts';
import type { Agent, Registration } from '../../../shared/agents/credentials.ts';
import { journalEntry } from '../../../shared/agents/journal.ts';
import { randomToken, sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { bareMac } from '../../../shared/kernel/mac-addresses.ts';
import { plainAddress } from '../../../shared/kernel/networks.ts';
import type { AgentCtx } from '../deps.ts';
import { type EndpointCertificate, issueEndpointCertificate } from '../endpoint-certificate.ts';
import type { InitializeBody, Initialized, UnmanagedBody } from './schema.ts';
import { isRecentlySeen } from './usecases.ts';

type Result = z.input<typeof Initialized>['result'];
type Body = z.output<typeof InitializeBody>;
type Interfaces = Body['id'];
type MachineCtx = AgentCtx<Agent | Registration>;
type Machine = Pick<Agent, 'farm' | 'workplace'>;

const nothing: Result = { own_token: null, token: null, master_token: null, unique_id: null, os: null };

/** An agent with a workplace token keeps it; a registration token is exchanged for a workplace token. */
export async function initialize(ctx: MachineCtx, { token, id, version }: Body): Promise<Result> {
  const { principal } = ctx;
  if (principal.role !== 'registration') {
    const agent = principal;
    if (isElsewhere(agent, id)) return nothing;
    await note(ctx, agent, version);
    const { unique_id } = agent.workplace;
    return { own_token: token, token, master_token: null, unique_id, os: null };
  }
  const machine = await machineOf(ctx, principal.sites, id);
  if (!machine) return nothing;
  const own = await admit(ctx, machine, { registrationId: principal.id, token, version });
  const { unique_id } = machine.workplace;
  return { own_token: own, token: own, master_token: token, unique_id, os: null };
}

/** A cloned machine presents the token of its original and must not act for it. */
function isElsewhere({ workplace }: Agent, interfaces: Interfaces): boolean {
  const own = bareMac(workplace.unique_id ?? '');
  const found = interfaces.flatMap(({ mac = '' }) => bareMac(mac) ?? []);
  return own !== undefined && found.length > 0 && !found.includes(own);
}

/** A machine outside of all pools may still match a workplace in the snapshot. */
export async function noteUnmanaged(
  ctx: MachineCtx,
  { id }: z.output<typeof UnmanagedBody>,
): Promise<EndpointCertificate> {
  const { principal, now, client } = ctx;
  const machine = principal.role === 'registration' ? await machineOf(ctx, principal.sites, id) : principal;
  const addresses = id.flatMap(({ ip = '' }) => plainAddress(ip) ?? []);
  const { issued, fingerprint } = await issueEndpointCertificate(
    addresses[0] ?? plainAddress(client.ip) ?? '127.0.0.1',
    now,
  );
  if (machine) await journal(ctx, machine, cameRecord(ctx, machine, { certificate_sha256: fingerprint }));
  return issued;
}

/** The workplace with a MAC address of the machine. If several match, the IP address decides. */
async function machineOf(
  { deps }: MachineCtx,
  sites: string[] | null,
  interfaces: Interfaces,
): Promise<Machine | undefined> {
  const found = await findMachines(deps.db, interfaces.flatMap(spellingsOf), sites ?? '*');
  const here = found.filter(({ workplace }) => interfaces.some(({ ip }) => ip === workplace.ip));
  const [only, ...others] = here.length > 0 ? here : found;
  return others.length === 0 ? only : undefined;
}

/** Nodes use different notations of MAC addresses; the index requires a single one. */
function spellingsOf({ mac = '' }: Interfaces[number]): string[] {
  const bare = bareMac(mac);
  if (bare === undefined) return [];
  const pairs = bare.match(/../g) ?? [];
  const lower = [pairs.join(':'), pairs.join('-'), bare];
  return [...lower, ...lower.map((text) => text.toUpperCase())];
}

type Registered = { registrationId: string; token: string; version: string | undefined };

/**
 * Agents repeat the request until they receive a response. The token stays the same until it is used, and only the
 * request that creates it is written to the journal.
 * @returns the token of the workplace
 */
async function admit(
  ctx: MachineCtx,
  machine: Machine,
  { registrationId, token, version }: Registered,
): Promise<string> {
  const nonce = randomToken();
  const agent = {
    id: newId(),
    registration_id: registrationId,
    farm_id: machine.farm.id,
    workplace_uuid: machine.workplace.uuid,
    nonce,
    token_hash: sha256(agentTokenOf(token, nonce)),
    created_at: ctx.now,
  };
  const inForce = await admitAgent(ctx.deps.db, agent, (h, isNew) => [
    updateWorkplaceRow(h, agent.farm_id, agent.workplace_uuid, presence(ctx, version)),
    appendMonitoring(h, cameRecord(ctx, machine), isNew),
  ]);
  return agentTokenOf(token, inForce);
}

/** A call within a minute of the last one is a repetition and not an event for the journal. */
const note = (ctx: MachineCtx, machine: Machine, version: string | undefined): Promise<void> =>
  journal(ctx, machine, isRecentlySeen(ctx, machine) ? undefined : cameRecord(ctx, machine), version);

/** Writes the presence of the agent to the snapshot and a journal record, in one batch. */
async function journal(
  ctx: MachineCtx,
  machine: Machine,
  record: MonitoringEntry | undefined,
  version?: string,
): Promise<void> {
  const { farm, workplace } = machine;
  await atomically(ctx.deps.db, (h) => [
    updateWorkplaceRow(h, farm.id, workplace.uuid, presence(ctx, version)),
    ...(record ? [appendMonitoring(h, record)] : []),
  ]);
}

const presence = ({ now }: MachineCtx, version: string | undefined) => ({
  agent_seen_at: now.toISOString(),
  ...(version !== undefined && { agent_version: version }),
});

function cameRecord(
  { now }: MachineCtx,
  machine: Machine,
  details: Record<string, unknown> = {},
): MonitoringEntry {
  const message = `The agent of ${machine.workplace.name} has been initialized`;
  return journalEntry(machine, now, { code: 'agent_initialized', message, details });
}
