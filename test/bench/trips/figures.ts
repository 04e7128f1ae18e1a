import { randomBytes, scrypt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Child } from '../child-process.ts';
import { type Loading, loadInTurns, median, rounded, type Sample, type Target, typical } from '../load.ts';
import { type ProductStand, startProductStand } from '../product/stand.ts';
import { timed } from '../times.ts';
import { type TripOperation, tripOperations } from './operations.ts';
import { type ProxySettings, readProxy } from './proxy.ts';

export type TripsEffort = {
  /** Delay in milliseconds of each direction between portal and database. */
  delayMs: number;
  /** Sequential requests of each operation. */
  requests: number;
  throughput: Loading;
  poolSize: number;
};

/** Medians. `p50_ms` does not contain the password hash, which is measured before each request. */
export type TripFigures = { trips: number; p50_ms: number };

export type TripsFigures = {
  /** Of a statement without work over the delayed network. */
  round_trip_ms: number;
  hash_ms: number;
  operations: (TripFigures & { name: string; isRead: boolean; hashes: boolean; before?: TripFigures })[];
  pool_size: number;
  /** Concurrent clients that read userinfo. */
  clients: number;
  userinfo: Sample;
  before?: { userinfo: Sample };
};

/** @param before another checkout of the project, measured in turns with this one */
export async function measureTrips(effort: TripsEffort, before: string | undefined): Promise<TripsFigures> {
  const stands: DistantStand[] = [];
  try {
    stands.push(await startDistantStand(effort, undefined));
    if (before !== undefined) stands.push(await startDistantStand(effort, before));
    const [own, other] = stands;
    if (!own) throw new Error('there is no checkout');
    const round_trip_ms = rounded(await roundTripMs(own.proxy.url, effort.requests), 1);
    const { operations, hash_ms } = await measureAll(own, other, effort);
    const clients = await loadInTurns(
      { own: userinfoOf(own), ...(other && { before: userinfoOf(other) }) },
      effort.throughput,
    );
    return {
      ...{ round_trip_ms, hash_ms, operations },
      pool_size: effort.poolSize,
      clients: effort.throughput.connections,
      userinfo: typical(clients.own),
      ...(clients.before && { before: { userinfo: typical(clients.before) } }),
    };
  } finally {
    for (const { stand } of stands) await stand.stop();
  }
}

async function measureAll(
  own: DistantStand,
  other: DistantStand | undefined,
  effort: TripsEffort,
): Promise<Pick<TripsFigures, 'operations' | 'hash_ms'>> {
  const operations: TripsFigures['operations'] = [];
  const hashTimes: number[] = [];
  const others = other && tripOperations(other.stand);
  for (const [at, operation] of tripOperations(own.stand).entries()) {
    const { name, isRead = false, hashes = false } = operation;
    const runs = await runsOf(operation, own.proxy, effort);
    const same = others?.[at];
    const before = other && same && figuresOf(await runsOf(same, other.proxy, effort));
    if (hashes) hashTimes.push(...runs.map(({ hash_ms }) => hash_ms));
    operations.push({ name, isRead, hashes, ...figuresOf(runs), ...(before && { before }) });
  }
  return { operations, hash_ms: rounded(median(hashTimes), 1) };
}

const figuresOf = (runs: readonly Run[]): TripFigures => ({
  trips: median(runs.map(({ trips }) => trips)),
  p50_ms: rounded(median(runs.map(({ ms, hash_ms }) => ms - hash_ms)), 1),
});

const userinfoOf = ({ stand }: DistantStand): Target => ({
  url: `${stand.url}/api/userinfo`,
  headers: { 'x-auth-token': stand.userToken },
  pid: stand.portalPid,
});

type DistantStand = { stand: ProductStand; proxy: Child };

/** The product with a distant database. Owner and sidecar connect directly: only the portal is measured. */
async function startDistantStand(
  { delayMs, poolSize }: TripsEffort,
  checkout: string | undefined,
): Promise<DistantStand> {
  const started = Promise.withResolvers<Child>();
  const stand = await startProductStand({
    checkout,
    rows: { users: 1_000, workplaces: 1_000 },
    variables: { DATABASE_POOL_SIZE: String(poolSize) },
    between: async (address, start) => {
      const settings: ProxySettings = { url: address.url, delayMs };
      const proxy = await start('trips/proxy-server.ts', settings);
      started.resolve(proxy);
      return { ...address, url: proxy.url };
    },
  });
  return { stand, proxy: await started.promise };
}

type Run = { ms: number; trips: number; hash_ms: number };

async function runsOf(
  { name, hashes, prepare, run }: TripOperation,
  proxy: Child,
  { requests, delayMs }: TripsEffort,
): Promise<Run[]> {
  const once = async (): Promise<Run> => {
    const prepared = await prepare?.();
    // Just before, because other work on the machine changes it.
    const hash_ms = hashes ? await timed(hash) : 0;
    // Work after the previous response must not be counted with this one.
    await delay(6 * delayMs);
    const before = await tripsOf(proxy);
    const ms = await timed(async () => {
      const { status, body } = await run(prepared);
      if (status >= 300) throw new Error(`${name} was answered ${status}: ${JSON.stringify(body)}`);
    });
    return { ms, trips: (await tripsOf(proxy)) - before, hash_ms };
  };
  // The first requests fill the caches of the process, prepare the statements and compile the code.
  for (let warm = 0; warm < Math.max(3, requests); warm++) await once();
  const runs: Run[] = [];
  while (runs.length < requests) runs.push(await once());
  return runs;
}

/** A password hash as the portal calculates it. */
const hash = () =>
  promisify<string, Buffer, number, object, Buffer>(scrypt)('a password', randomBytes(16), 32, {
    ...{ N: 2 ** 14, r: 8, p: 5 },
    maxmem: 2 ** 25,
  });

const tripsOf = async (proxy: Child): Promise<number> => (await readProxy(proxy)).trips;

async function roundTripMs(connectionString: string, requests: number): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const times: number[] = [];
    while (times.length < requests) times.push(await timed(() => client.query('select 1')));
    return median(times);
  } finally {
    await client.end();
  }
}
