import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { watchPortal } from '../cases/statements.ts';
import { fillUsers } from '../fill.ts';
import { startFleetStand } from '../fleet/stand.ts';
import { fillWorkplaces } from '../fleet/workplaces.ts';
import { type Comparison, compare, type Loading, measureAlone, rounded, type Sample } from '../load.ts';
import type { StatementsSettings } from '../portal/statements-server.ts';
import { type Stand, startStand } from '../stand.ts';
import { type Operation, operationsOf, type Rows, targetOf } from './cases.ts';
import { type Cost, measureCosts } from './cost.ts';
import { type Memory, memoryDuring } from './memory.ts';
import { startWorkers } from './workers.ts';

export type OperationsEffort = Loading & { sizes: readonly Rows[]; costRequests: number };

export type OperationsFigures = {
  /** On Node, on a separate database for each size, the smallest first. */
  sizes: { rows: Rows; operations: Comparison[] }[];
  /** The ratio of the median on the largest database to that on the smallest. */
  growth: { name: string; p50: number }[];
  /** On workerd, by Neon's driver, on the largest; the floor is a bare Worker. */
  workers: (Comparison | { name: string; portal: Sample })[];
  costs: Cost[];
  memory: { node: Memory; workerd: Memory };
};

/** The cost of a request by runtime, and its growth with the installation. */
export async function measureOperations({
  sizes,
  costRequests,
  ...loading
}: OperationsEffort): Promise<OperationsFigures> {
  const measured: OperationsFigures['sizes'] = [];
  let largest: Awaited<ReturnType<typeof measureLargest>> | undefined;
  for (const [at, rows] of sizes.entries()) {
    await onFilledStand(rows, async (filled) => {
      const operations = await measureNode(filled, loading);
      measured.push({ rows, operations: operations.figures });
      if (at === sizes.length - 1)
        largest = await measureLargest(filled, operations, { costRequests, ...loading });
    });
  }
  if (!largest) throw new Error('no size was given');
  return { sizes: measured, growth: growthOf(measured), ...largest };
}

type Filled = { stand: Stand; operations: Operation[]; statements: StatementsSettings };

async function onFilledStand(rows: Rows, work: (filled: Filled) => Promise<void>): Promise<void> {
  const stand = await startStand();
  const database = new pg.Pool({ connectionString: stand.settings.databaseUrl, max: 1 });
  try {
    const fleet = await startFleetStand(stand, {
      farms: 20,
      latencyMs: 0,
      others: 1,
      workplaces: 10,
      listDeadlineMs: 1_500,
    });
    try {
      await fillUsers(database, rows.users);
      await fillWorkplaces(database, { sites: 10, farmsPerSite: 1, workplacesPerFarm: rows.workplaces / 10 });
      const operations = await operationsOf(stand, database, fleet.token);
      await work({ stand, operations, statements: await statementsOf(stand, operations) });
    } finally {
      await fleet.stop();
    }
  } finally {
    await database.end();
    await stand.stop();
  }
}

/** The statements of the portal for each; empty for those with another reference. */
async function statementsOf(
  { settings }: Stand,
  operations: readonly Operation[],
): Promise<StatementsSettings> {
  const pages: StatementsSettings['pages'] = [];
  for (const { floor, path, token = '' } of operations) {
    if (floor !== 'statements') {
      pages.push([]);
      continue;
    }
    const portal = await watchPortal(settings, token);
    try {
      pages.push((await portal.ask(path)).statements);
    } finally {
      await portal.close();
    }
  }
  return { databaseUrl: settings.databaseUrl, pages };
}

type Measured = { figures: Comparison[]; memory: Memory };

async function measureNode({ stand, operations, statements }: Filled, loading: Loading): Promise<Measured> {
  const floor = await stand.start('portal/statements-server.ts', statements);
  const { value: figures, memory } = await memoryDuring(stand.portalPid, () =>
    compareAll(operations, loading, { portal: stand.portalUrl, statements: floor.url }),
  );
  return { figures, memory };
}

async function compareAll(
  operations: readonly Operation[],
  loading: Loading,
  urls: { portal: string; statements: string },
): Promise<Comparison[]> {
  const figures: Comparison[] = [];
  for (const [at, operation] of operations.entries()) {
    const { name, floor, isHeavy } = operation;
    const target = floor === 'statements' ? { url: `${urls.statements}/${at}`, headers: {} } : floor;
    if (!target) continue;
    const connections = isHeavy ? 2 : loading.connections;
    const pair = { portal: targetOf(urls.portal, operation), floor: target };
    figures.push(await compare(name, pair, { ...loading, connections }));
  }
  return figures;
}

/** What is measured once: the edge, the cost of one request, and memory. */
async function measureLargest(
  { stand, operations, statements }: Filled,
  { memory: node }: Measured,
  { costRequests, ...loading }: Loading & { costRequests: number },
): Promise<Pick<OperationsFigures, 'workers' | 'costs' | 'memory'>> {
  const costs = await measureCosts(stand, operations, costRequests);
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-operations-'));
  const workers = await startWorkers(stand, statements, folder);
  try {
    const { value: figures, memory: workerd } = await memoryDuring(workers.pid, () =>
      measureWorkers(operations, loading, { portal: workers.url, statements: workers.floorUrl }),
    );
    return { workers: figures, costs, memory: { node, workerd } };
  } finally {
    await workers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The floors that run on Node are no reference for a Worker. */
async function measureWorkers(
  operations: readonly Operation[],
  loading: Loading,
  urls: { portal: string; statements: string },
): Promise<OperationsFigures['workers']> {
  const figures: OperationsFigures['workers'] = [];
  for (const [at, operation] of operations.entries()) {
    const { name, floor, isHeavy } = operation;
    const portal = targetOf(urls.portal, operation);
    const effort = { ...loading, connections: isHeavy ? 2 : loading.connections };
    if (floor === 'statements') {
      const bare = { url: `${urls.statements}/${at}`, headers: {} };
      figures.push(await compare(name, { portal, floor: bare }, effort));
    } else figures.push({ name, portal: await measureAlone(portal, effort) });
  }
  return figures;
}

const growthOf = (sizes: OperationsFigures['sizes']): OperationsFigures['growth'] => {
  const [smallest, largest] = [sizes[0], sizes.at(-1)];
  return (smallest?.operations ?? []).map(({ name, portal }, at) => ({
    name,
    p50: rounded((largest?.operations[at]?.portal.p50_ms ?? Number.NaN) / portal.p50_ms, 2),
  }));
};
