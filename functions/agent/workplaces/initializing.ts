import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { findMachines, keepAgent } from '../../../db/repositories/agents.ts';
import { appendMonitoring } from '../../../db/repositories/monitoring.ts';
import { touchWorkplace } from '../../../db/repositories/snapshot-touch.ts';
import { newAgentToken } from '../../../shared/access/agent-tokens.ts';
import type { Agent, Registration } from '../../../shared/fleet/agents/credentials.ts';
import { journalEntry } from '../../../shared/fleet/agents/journal.ts';
import { sha256 } from '../../../shared/kernel/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { bareMac } from '../../../shared/kernel/mac-addresses.ts';
import type { AgentCtx } from '../deps.ts';
import type { InitializeBody, Initialized, UnmanagedBody } from './schema.ts';

type Result = z.input<typeof Initialized>['result'];
type Body = z.output<typeof InitializeBody>;
type Interfaces = Body['id'];
type MachineCtx = AgentCtx<Agent | Registration>;
type Machine = Pick<Agent, 'farm' | 'workplace'>;

const nothing: Result = { own_token: null, token: null, master_token: null, unique_id: null, os: null };
const nothingToDo = { action: 'none' } as const;

/** Who comes with the token of his workplace keeps it; who comes with that of a registration gets one. */
export async function initialize(ctx: MachineCtx, { token, id, version }: Body): Promise<Result> {
  const { principal } = ctx;
  if (principal.role !== 'registration') {
    const agent = principal;
    if (isElsewhere(agent, id)) return nothing;
    await note(ctx, agent, version);
    const { unique_id } = agent.workplace;
    return { own_token: token, token, master_token: null, unique_id, os: nothingToDo };
  }
  const machine = await machineOf(ctx, principal.sites, id);
  if (!machine) return nothing;
  const own = newAgentToken();
  await note(ctx, machine, version, { registrationId: principal.id, token: own });
  const { unique_id } = machine.workplace;
  return { own_token: own, token: own, master_token: token, unique_id, os: nothingToDo };
}

/** A copy of a machine brings the token of the one that it is a copy of, and must not speak for it. */
function isElsewhere({ workplace }: Agent, interfaces: Interfaces): boolean {
  const own = bareMac(workplace.unique_id ?? '');
  const found = interfaces.flatMap(({ mac = '' }) => bareMac(mac) ?? []);
  return own !== undefined && found.length > 0 && !found.includes(own);
}

/** A host of no pool may still be one that a dispatcher knows. */
export async function noteUnmanaged(ctx: MachineCtx, { id }: z.output<typeof UnmanagedBody>): Promise<'ok'> {
  const { principal } = ctx;
  const machine = principal.role === 'registration' ? await machineOf(ctx, principal.sites, id) : principal;
  if (machine) await note(ctx, machine, undefined);
  return 'ok';
}

/** The one workplace that has an address of the machine; of several alike the one whose IP address it has as well. */
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

/** Nodes write MAC addresses as they like, and an index finds what is written alike. */
function spellingsOf({ mac = '' }: Interfaces[number]): string[] {
  const bare = bareMac(mac);
  if (bare === undefined) return [];
  const pairs = bare.match(/../g) ?? [];
  const lower = [pairs.join(':'), pairs.join('-'), bare];
  return [...lower, ...lower.map((text) => text.toUpperCase())];
}

type NewAgent = { registrationId: string; token: string };

/** One batch: the agent with its token, and its presence in snapshot and journal. */
async function note(
  { deps, now }: MachineCtx,
  machine: Machine,
  version: string | undefined,
  made?: NewAgent,
): Promise<void> {
  const { farm, workplace } = machine;
  const values = {
    agent_seen_at: now.toISOString(),
    ...(version !== undefined && { agent_version: version }),
  };
  const message = `The agent of ${workplace.name} has come`;
  await atomically(deps.db, (h) => [
    ...(made
      ? [
          keepAgent(h, {
            id: newId(),
            registration_id: made.registrationId,
            farm_id: farm.id,
            workplace_uuid: workplace.uuid,
            token_hash: sha256(made.token),
            created_at: now,
          }),
        ]
      : []),
    touchWorkplace(h, farm.id, workplace.uuid, values),
    appendMonitoring(h, journalEntry(machine, now, { code: 'agent_initialized', message })),
  ]);
}
