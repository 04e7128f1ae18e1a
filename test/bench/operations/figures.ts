import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FloorSettings } from '../floors/server.ts';
import { assertSameShape } from '../floors/shapes.ts';
import { type Loading, loadInTurns, ratioOf, rounded, type Sample, type Target, typical } from '../load.ts';
import { type Memory, memoryDuring } from '../product/processes.ts';
import { type ProductStand, type Rows, startProductStand } from '../product/stand.ts';
import { type Operation, operationsOf, targetOf } from './cases.ts';
import { startWorkers } from './workers.ts';

export type OperationsEffort = Loading & {
  rows: Rows;
  /** An installation for comparison, of which only the growth is shown. */
  small: Rows;
};

export type OperationFigures = {
  name: string;
  portal: Sample;
  floor?: Sample;
  /** Requests per second of the portal by those of the floor, the median of the rounds. */
  ratio?: number;
  /** The other checkout. */
  before?: Sample;
};

export type OperationsFigures = {
  rows: Rows;
  /** By `npm start` on Node. */
  node: OperationFigures[];
  /** On workerd, by Neon's driver. */
  workers: OperationFigures[];
  /** The ratio of the median to that of the small installation. */
  growth: { name: string; p50: number }[];
  memory: { node: Memory; workerd: Memory };
};

/** @param before another checkout of the project, measured in turns with this one */
export async function measureOperations(
  { rows, small, ...loading }: OperationsEffort,
  before: string | undefined,
): Promise<OperationsFigures> {
  const onSmall = await onStands([undefined], small, (portal) => measureNode({ portal }, loading));
  return onStands([undefined, ...(before === undefined ? [] : [before])], rows, async (portal, other) => {
    const floors = await startFloors(portal);
    const measured = { portal, floors, ...(other && { before: other }) };
    const { value: node, memory } = await memoryDuring(portal.launcherPid, () =>
      measureNode(measured, loading),
    );
    const onWorkers = await measureWorkers(portal, loading);
    return {
      rows,
      node,
      workers: onWorkers.value,
      growth: node.map(({ name, portal: { p50_ms } }, at) => ({
        name,
        p50: rounded(p50_ms / (onSmall[at]?.portal.p50_ms ?? Number.NaN), 2),
      })),
      memory: { node: memory, workerd: onWorkers.memory },
    };
  });
}

/** Starts a stand for each checkout; undefined is this one. */
async function onStands<T>(
  checkouts: readonly (string | undefined)[],
  rows: Rows,
  work: (portal: ProductStand, other: ProductStand | undefined) => Promise<T>,
): Promise<T> {
  const stands: ProductStand[] = [];
  try {
    for (const checkout of checkouts) stands.push(await startProductStand({ rows, checkout }));
    const [portal, other] = stands;
    if (!portal) throw new Error('there is no checkout');
    return await work(portal, other);
  } finally {
    for (const stand of stands) await stand.stop();
  }
}

type Floor = { url: string; pid: number };
/** Servers of the floor: of reads and connections, and of logins. */
type Floors = { reads: Floor; login: Floor };
type Measured = { portal: ProductStand; floors?: Floors; before?: ProductStand };

async function startFloors({ address, url, keys, start }: ProductStand): Promise<Floors> {
  const settings = { databaseUrl: address.url, baseUrl: url, signingKey: keys.AGGREGATOR_JWT_SSL_KEY };
  return {
    reads: await start('floors/server.ts', settings satisfies FloorSettings),
    login: await start('floors/login-server.ts', {}),
  };
}

/** Portal, floor and the other checkout in turns, one operation after the other. */
async function measureNode(
  { portal, floors, before }: Measured,
  loading: Loading,
): Promise<OperationFigures[]> {
  const others = before && operationsOf(before);
  const figures: OperationFigures[] = [];
  for (const [at, operation] of operationsOf(portal).entries()) {
    const other = others?.[at];
    figures.push(
      await measureOne(operation, loading, {
        portal: { ...targetOf(portal.url, operation), pid: portal.portalPid },
        ...(floors && { floor: await floorOf(operation, portal, floors) }),
        ...(before && other && { before: { ...targetOf(before.url, other), pid: before.portalPid } }),
      }),
    );
  }
  return figures;
}

async function floorOf(operation: Operation, portal: ProductStand, { reads, login }: Floors) {
  if (operation.floor === 'login') return { ...targetOf(login.url, operation), pid: login.pid };
  const target = targetOf(reads.url, operation);
  await assertSameShape(targetOf(portal.url, operation), target);
  return { ...target, pid: reads.pid };
}

type Targets = { portal: Target; floor?: Target; before?: Target };

async function measureOne(
  { name, isHeavy }: Operation,
  loading: Loading,
  targets: Targets,
): Promise<OperationFigures> {
  const connections = isHeavy ? 2 : loading.connections;
  const { portal, floor, before } = await loadInTurns(targets, { ...loading, connections });
  return {
    name,
    portal: typical(portal),
    ...(floor && { floor: typical(floor), ratio: ratioOf(portal, floor, 'requests_per_s') }),
    ...(before && { before: typical(before) }),
  };
}

/**
 * The modules as Workers on the database of the stand. The product is ended before, because a Worker cannot be given the
 * certificate authority of its dispatchers. The floors that run on Node only are no reference for Workers.
 */
async function measureWorkers(
  stand: ProductStand,
  loading: Loading,
): Promise<{ value: OperationFigures[]; memory: Memory }> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-operations-'));
  await stand.endProduct();
  const workers = await startWorkers(stand, folder);
  try {
    return await memoryDuring(workers.pid, async () => {
      const figures: OperationFigures[] = [];
      for (const operation of operationsOf(stand)) {
        const portal = { ...targetOf(workers.url, operation), isWorker: true };
        const floor =
          operation.floor === 'everywhere' ? { floor: targetOf(workers.floorUrl, operation) } : {};
        figures.push(await measureOne(operation, loading, { portal, ...floor }));
      }
      return figures;
    });
  } finally {
    await workers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
