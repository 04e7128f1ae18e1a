import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Bundle,
  bundleAll,
  bundleEntry,
  type EdgeModule,
} from '../../../shared/tooling/build/bundles.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { median, rounded } from '../load.ts';
import { type LambdaStart, startLambda } from '../portal/lambda-process.ts';
import { startWorkerd, type WorkerStart } from '../portal/workerd-process.ts';

export type { LambdaStart, WorkerStart };

export type EdgeFigures = {
  /** The measured request; it passes the guard and needs no database. */
  request: string;
  floor: WorkerStart;
  /** The ratios are relative to the floor. */
  workers: ({ module: EdgeModule; ratio: { first: number; total: number } } & WorkerStart)[];
  lambda: ({ module: EdgeModule } & LambdaStart)[];
};

/** An operation of each module that needs a session, or a ticket for gateways. */
const routes: Record<EdgeModule, string> = {
  agent: 'POST /api/agent/v7.0/register',
  aggregator: 'GET /api/aggregator/v7.0/peers',
  auth: 'POST /api/auth/v7.0/logout',
  client: 'GET /aggregator/api/client/v7.0/north/servicesList',
  console: 'GET /console',
  discover: 'GET /api/discover',
  federation: 'GET /api/auth/v7.0/passkeys',
  home: 'GET /home',
  ssa: 'POST /api/ssa/v7.0/ping',
  userinfo: 'GET /api/userinfo',
  webui: 'GET /api/webui/aggregator/sites',
  wsproxy: 'GET /api/wsproxy/v7.0/ticket/none/nowhere/nobody',
};

/** The time of a module from a cold start to its first response, each time in a new process. */
export async function measureEdgeStarts(runs: number): Promise<EdgeFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-edge-'));
  try {
    const request = 'an operation that needs a session, without one (401)';
    return { request, ...(await measureWorkers(folder, runs)), lambda: await measureLambda(folder, runs) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In turns with the floor, so that drift affects all equally. */
async function measureWorkers(folder: string, runs: number): Promise<Pick<EdgeFigures, 'floor' | 'workers'>> {
  const bundles = await bundleAll('workers', folder);
  const floorFile = join(folder, 'floor.js');
  await bundleEntry('test/bench/floors/start-worker.ts', 'workers', floorFile);
  const floors: WorkerStart[] = [];
  const starts = new Map<EdgeModule, WorkerStart[]>(bundles.map(({ module }) => [module, []]));
  while (floors.length < runs) {
    floors.push(await startWorkerd(floorFile, routes.userinfo, {}));
    for (const { module, file } of bundles)
      starts.get(module)?.push(await startWorkerd(file, routes[module], variables));
  }
  const floor = typical(floors);
  const workers = [...starts].map(([module, all]) => {
    const start = typical(all);
    const ratioOf = (figure: 'first_ms' | 'total_ms') => rounded(start[figure] / floor[figure], 2);
    return { module, ...start, ratio: { first: ratioOf('first_ms'), total: ratioOf('total_ms') } };
  });
  return { floor, workers };
}

async function measureLambda(folder: string, runs: number): Promise<EdgeFigures['lambda']> {
  const measured: EdgeFigures['lambda'] = [];
  for (const { module, file } of await bundleAll('lambda', folder))
    measured.push({ module, ...(await measureFunction(file, routes[module], runs)) });
  return measured;
}

async function measureFunction(file: Bundle['file'], route: string, runs: number): Promise<LambdaStart> {
  const starts: LambdaStart[] = [];
  while (starts.length < runs) starts.push(await startLambda(file, route, variables));
  return typical(starts);
}

/** The database is never called, and its port is closed. */
const variables = {
  DATABASE_URL: 'postgres://nobody:none@127.0.0.1:9/portal',
  BASE_URL: 'https://bench.test',
  ...newKeyVariables(),
  LOG_LEVEL: 'error',
};

/** The median of each figure separately. */
function typical<Start extends Record<string, number>>(starts: readonly Start[]): Start {
  const [first] = starts;
  if (!first) throw new Error('nothing was measured');
  const medians = Object.keys(first).map((name) => [
    name,
    rounded(median(starts.map((start) => start[name] ?? 0)), 2),
  ]);
  return { ...first, ...Object.fromEntries(medians) };
}
