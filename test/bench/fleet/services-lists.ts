import type { Call } from '../../../shared/remotes/dispatcher/port.ts';
import { fanOut } from '../../../shared/sites/calls/fan-out.ts';
import { alice, domain } from '../../simulator/demo/seed.ts';
import { rounded } from '../load.ts';
import { sameForBoth } from '../settings.ts';
import { type Times, timed, timesOf } from '../times.ts';
import type { FleetNode, FleetStand } from './stand.ts';

export type ServicesFigures = {
  /** The same calls to all farms, six at a time, without the portal, in turns with `warm`. */
  floor: Times;
  /** Only session keys are cached. */
  warm: Times & { ratio: number };
  /** Without session keys and without known domains. */
  cold: Times & { present: number };
  /** From the cache. */
  cached: Times;
  /** One farm hangs: the number of lists until its circuit breaker opened, and of farms in the slowest of them. */
  hanging: Times & { lists: number; present: number };
  circuit_open: Times & { present: number };
};

type Listed = { tookMs: number; statuses: string[] };

/** Lists of one user, sequentially. */
export async function measureServices(fleet: FleetStand, count: number): Promise<ServicesFigures> {
  const list = () => listOf(fleet);
  const cold: Listed[] = [];
  while (cold.length < Math.ceil(count / 4)) {
    await fleet.forget('dispatcher_sessions');
    cold.push(await list());
  }
  // Keys that arrived after the deadline of the last cold list are available to the next.
  await list();
  return {
    cold: { ...timesOf(tookBy(cold)), present: presentIn(cold) },
    ...(await measureWarm(fleet, count)),
    ...(await measureCached(fleet, count)),
    ...(await measureHanging(fleet, count)),
  };
}

async function listOf({ ask, listed: [farm] }: FleetStand): Promise<Listed> {
  const { tookMs, status, body } = await ask(farm?.siteUri ?? '', 'servicesList/');
  // On a busy machine, no farm may answer within the deadline of a list.
  if (status !== 200 && body.code !== 'upstream_unavailable')
    throw new Error(`a list was ${status}: ${JSON.stringify(body)}`);
  return { tookMs, statuses: body.sites.map((site: { status: string }) => site.status) };
}

const tookBy = (lists: readonly Listed[]): number[] => lists.map(({ tookMs }) => tookMs);

const presentIn = (lists: readonly Listed[]): number =>
  Math.min(...lists.map(({ statuses }) => statuses.filter((status) => status === 'ok').length));

const ratioOf = (portal: Times, floor: Times): number => rounded(portal.p50_ms / floor.p50_ms, 2);

async function measureWarm(fleet: FleetStand, count: number) {
  const { deps, forget } = fleet;
  const calls = await Promise.all(fleet.listed.map((node) => callOf(fleet, node)));
  const floors: number[] = [];
  const lists: Listed[] = [];
  while (lists.length < count) {
    floors.push(await timed(() => fanOut(calls, 5_000, (call) => deps.dispatchers.services(call))));
    await forget();
    lists.push(await listOf(fleet));
  }
  const [floor, warm] = [timesOf(floors), timesOf(tookBy(lists))];
  return { floor, warm: { ...warm, ratio: ratioOf(warm, floor) } };
}

async function callOf({ deps }: FleetStand, { name, url, caPem }: FleetNode): Promise<Call> {
  const node: Call['node'] = {
    id: name,
    kind: 'dispatcher',
    name,
    url,
    caCertificate: caPem,
    verifyTls: true,
    timeoutMs: 5_000,
  };
  const user = {
    id: name,
    name: alice.name,
    domain: domain.small_name,
    groups: [],
    clientIp: sameForBoth.host,
  };
  const trace = { requestId: 'floor', traceparent: '' };
  const request = { node, principal: { user }, now: new Date(), lifeS: 600, trace };
  return { node, key: (await deps.dispatchers.authorize(request)).token, trace };
}

async function measureCached(fleet: FleetStand, count: number): Promise<{ cached: Times }> {
  const lists: Listed[] = [];
  while (lists.length < count) lists.push(await listOf(fleet));
  return { cached: timesOf(tookBy(lists)) };
}

/** The circuit breaker opens after three consecutive failures of the farm. */
async function measureHanging(fleet: FleetStand, count: number) {
  const { hang, forget } = fleet;
  await hang(fleet.listed.slice(0, 1));
  const hanging: Listed[] = [];
  for (;;) {
    await forget();
    const listed = await listOf(fleet);
    if (listed.statuses.includes('circuit_open')) break;
    if (hanging.push(listed) === 10) throw new Error('the circuit of a farm that hangs did not open');
  }
  const open: Listed[] = [];
  while (open.length < count) {
    await forget();
    open.push(await listOf(fleet));
  }
  await hang([]);
  return {
    hanging: { ...timesOf(tookBy(hanging)), lists: hanging.length, present: presentIn(hanging) },
    circuit_open: { ...timesOf(tookBy(open)), present: presentIn(open) },
  };
}
