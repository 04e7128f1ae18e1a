import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import type { GoalFigure } from '../goals.ts';
import { median, rounded } from '../load.ts';
import { type RestingMemory, restingMemory } from '../product/processes.ts';
import { addressVariables, startProductDatabase } from '../product/product.ts';
import { row } from '../rows.ts';

export type ReadyEffort = {
  starts: number;
  /** Seconds without requests before memory is read. */
  restS: number;
};

/** Milliseconds from the command until portal and sidecar are ready, and memory of them and the launcher at rest. */
type Ready = { ready_ms: number; memory: RestingMemory };
export type ReadyFigures = Ready & { rest_s: number; before?: Ready };

/**
 * `npm start` on PostgreSQL, whose schema exists, and on a data folder with certificates and keys.
 * @param before another checkout of the project, started in turns with this one
 */
export async function measureReady(
  { starts, restS }: ReadyEffort,
  before: string | undefined,
): Promise<ReadyFigures> {
  const checkouts: Prepared[] = [];
  try {
    checkouts.push(await prepare(undefined));
    if (before !== undefined) checkouts.push(await prepare(before));
    const times = checkouts.map((): number[] => []);
    const memories: RestingMemory[] = [];
    for (let round = 0; round < starts; round++)
      for (const [at, { start }] of checkouts.entries()) {
        const portal = await start();
        times[at]?.push(portal.startMs);
        if (round === 0) {
          await delay(restS * 1_000);
          memories.push(await restingMemory(portal.pid));
        }
        await portal.stop();
      }
    const [own, other] = memories.map((memory, at) => ({
      ready_ms: rounded(median(times[at] ?? []), 0),
      memory,
    }));
    if (!own) throw new Error('nothing was started');
    return { ...own, rest_s: restS, ...(other && { before: other }) };
  } finally {
    for (const { remove } of checkouts) await remove();
  }
}

type Prepared = { start(): Promise<PortalProcess>; remove(): Promise<void> };

/** After a first start, which builds the bundle of the program, migrates the database and creates certificates. */
async function prepare(folder: string | undefined): Promise<Prepared> {
  const database = await startProductDatabase();
  const data = await mkdtemp(join(tmpdir(), 'aggregator-ready-'));
  const env = {
    ...bareVariables(data, await freePorts(2)),
    ...addressVariables(database.address satisfies DatabaseAddress),
    ...newKeyVariables(),
  };
  const start = () => startPortal({ env, ...(folder !== undefined && { folder }) });
  const remove = async () => {
    await database.stop();
    await rm(data, { recursive: true, force: true });
  };
  try {
    await (await start()).stop();
    return { start, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export const readyLines = ({ rest_s, before, ...own }: ReadyFigures): string[] => [
  row('npm start, PostgreSQL', 'ready ms', 'RSS MB', 'PSS MB'),
  row(`  after ${rest_s} s`, ...readyCells(own)),
  ...(before ? [row('  before', ...readyCells(before))] : []),
  '',
];

const readyCells = ({ ready_ms, memory: { rss_mb, pss_mb } }: Ready): string[] =>
  [ready_ms, rss_mb, pss_mb].map((value) => (value === null ? '–' : String(value)));

/** The limit of memory is for resident memory, which counts shared pages in each process. */
export const readyGoals = ({ ready_ms, memory, before }: ReadyFigures): GoalFigure[] => [
  {
    name: 'ready, ms',
    ...{ goal: 1_000, better: 'less', measured: ready_ms },
    ...(before && { before: before.ready_ms }),
  },
  {
    name: 'resident memory at rest, MB',
    ...{ goal: 250, better: 'less', measured: memory.rss_mb },
    ...(before && { before: before.memory.rss_mb }),
  },
];
