import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { asker } from '../../support/factories.ts';
import { addScimGroup, addScimUser, patchOf, startScim } from '../../support/identity/scim.ts';
import { type PatchShape, patchOfShape, widest, worstPatches } from '../../support/identity/scim-bodies.ts';
import type { Answer, Json, TestPortal } from '../../support/portal.ts';
import { rounded } from '../load.ts';
import { cpuOf, hashTime, longestBlock } from './blocks.ts';

type ProvisioningFigure = {
  body: string;
  status: number;
  bytes: number;
  /** Longest time for which the request blocked the event loop, and its processor time in this process. */
  block_ms: number;
  cpu_ms: number;
};

export type ProvisioningFigures = {
  /** Members of the group; the limit of a request is 50,000. */
  members: number;
  /** Processor time of one hash of a password in the same run: a request may need as much, and a turn a tenth of it. */
  hash_ms: number;
  bodies: ProvisioningFigure[];
};

export type ProvisioningEffort = { members: number; repeats: number; climbs: number };

type Request = { name: string; route: string; body?: unknown };

/** Sends the worst bodies of provisioning that are known, and those that a search finds, and measures what they cost. */
export async function measureProvisioning(
  { send: sendTo, db, token }: { send: TestPortal['send']; db: Db; token: string },
  { members, repeats, climbs }: ProvisioningEffort,
): Promise<ProvisioningFigures> {
  const portal = { send: sendTo, deps: { clock: () => new Date() } } as TestPortal;
  const scim = await startScim({ portal, admin: asker(portal, token) });
  const user = await addScimUser(scim);
  const group = await addScimGroup(scim);
  const ids = await addUsers(db, scim.domain.id, members);
  const send = async ({ name, route, body }: Request): Promise<ProvisioningFigure> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { block, result } = await longestBlock<Answer>(() => scim.ask(route, text));
    // Apart, because the watch of the event loop needs the processor as well.
    const cpu = await cpuOf(() => scim.ask(route, text));
    return {
      ...{ body: name, status: result.status, bytes: Buffer.byteLength(text ?? '') },
      ...{ block_ms: rounded(block, 2), cpu_ms: rounded(cpu, 2) },
    };
  };
  const least = async (request: Request): Promise<ProvisioningFigure> => {
    const samples: ProvisioningFigure[] = [];
    while (samples.length < repeats) samples.push(await send(request));
    const min = (of: (one: ProvisioningFigure) => number) => Math.min(...samples.map(of));
    return {
      ...(samples[0] as ProvisioningFigure),
      block_ms: min((one) => one.block_ms),
      cpu_ms: min((one) => one.cpu_ms),
    };
  };
  const patch = (name: string, shape: PatchShape): Request => ({
    ...{ name, route: `PATCH /Users/${user.id}` },
    body: patchOf(...(patchOfShape(shape) as Json[])),
  });
  const bodies: ProvisioningFigure[] = [];
  for (const [name, shape] of Object.entries(worstPatches)) bodies.push(await least(patch(name, shape)));
  const climbed = await climb((shape) => send(patch('', shape)), climbs);
  bodies.push(await least(patch(`found: ${describe(climbed)}`, climbed)));
  for (const request of requestsOf(user, group, ids)) bodies.push(await least(request));
  return { members, hash_ms: await hashTime(repeats), bodies };
}

/** Requests whose cost is that of many members, conditions or operations. */
function requestsOf(user: Json, group: Json, ids: readonly string[]): Request[] {
  const members = ids.map((value) => ({ value, display: 'someone' }));
  const parts = Array.from({ length: 1_000 }, (_, at) => members.filter((__, n) => n % 1_000 === at));
  const conditions = Array.from({ length: 100 }, (_, at) => `displayName co "xxxxx${at}"`);
  const one = { method: 'PATCH', path: `/Users/${user.id}` };
  const change = patchOf(...(patchOfShape({ ...firstShape, operations: 50, values: 10 }) as Json[]));
  return [
    {
      name: 'a group with all members, replaced and shown',
      route: `PUT /Groups/${group.id}`,
      body: { displayName: 'all', members },
    },
    {
      name: 'the same in a thousand operations',
      route: `PATCH /Groups/${group.id}`,
      body: patchOf(...parts.map((value) => ({ op: 'add', path: 'members', value }))),
    },
    { name: 'the group, shown', route: `GET /Groups/${group.id}` },
    { name: 'identifiers of its members, shown', route: `GET /Groups/${group.id}?attributes=members.value` },
    {
      name: 'a search with a hundred conditions',
      route: 'POST /Users/.search',
      body: { filter: conditions.join(' or '), count: 200 },
    },
    {
      name: 'a hundred changes in bulk',
      route: 'POST /Bulk',
      body: { Operations: Array.from({ length: 100 }, () => ({ ...one, data: change })) },
    },
  ];
}

const firstShape: PatchShape = {
  ...{ operations: 200, values: 10, conditions: 20, text: 10, isFresh: false, present: 50 },
  target: 'emails[].type',
};
const targets: PatchShape['target'][] = ['emails', 'emails.type', 'emails[].type', 'members without a path'];

/**
 * Looks for the accepted PATCH that needs the most processor time: changes one dimension at a time, and keeps what costs more.
 * Refused bodies do not count, because their cost is the limit.
 */
async function climb(
  cost: (shape: PatchShape) => Promise<ProvisioningFigure>,
  steps: number,
): Promise<PatchShape> {
  let best = firstShape;
  let most = 0;
  for (let step = 0; step < steps; step++) {
    const next = step === 0 ? best : neighbour(best);
    const { status, cpu_ms } = await cost(next);
    if (status === 200 && cpu_ms > most) [best, most] = [next, cpu_ms];
  }
  return best;
}

function neighbour(shape: PatchShape): PatchShape {
  const names = Object.keys(widest) as (keyof typeof widest)[];
  const at = Math.floor(Math.random() * (names.length + 2));
  const name = names[at];
  if (name === undefined)
    return at === names.length
      ? { ...shape, isFresh: !shape.isFresh }
      : { ...shape, target: targets[Math.floor(Math.random() * targets.length)] ?? shape.target };
  const factor = 2 ** (Math.random() * 4 - 2);
  return { ...shape, [name]: Math.min(widest[name], Math.max(1, Math.round(shape[name] * factor))) };
}

const describe = ({ target, ...shape }: PatchShape): string =>
  `${target} ${Object.entries(shape)
    .map(([name, value]) => `${name} ${value}`)
    .join(' ')}`;

async function addUsers(db: Db, domain: string, count: number): Promise<string[]> {
  const found = await db.execute<{
    id: string;
  }>(sql`insert into users (id, authenticator_id, name, name_key, directory_id)
    select gen_random_uuid(), ${domain}::uuid, 'member-' || n, 'member-' || n, 'member-' || n
    from generate_series(1, ${count}::int) as n returning id`);
  return [...(found as unknown as { rows: { id: string }[] }).rows].map(({ id }) => id);
}
