import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Child } from '../child-process.ts';
import { cpuMs } from '../product/cpu.ts';
import { type ProductStand, startProductStand } from '../product/stand.ts';
import { type ProxySettings, readProxy } from '../trips/proxy.ts';
import { type Load, loads, type OperationCost } from './model.ts';
import { type CapacityOperation, capacityOperations } from './operations.ts';

export type CapacityEffort = {
  requests: number;
  /** Time in milliseconds in which the sidecar has sealed the events of the last request. */
  settledMs: number;
  users: readonly number[];
};

export type CapacityFigures = { costs: OperationCost[]; loads: Load[] };

/** Measures the cost of each class of operations, and what installations of several sizes need by it. */
export async function measureCapacity(effort: CapacityEffort): Promise<CapacityFigures> {
  const started = Promise.withResolvers<Child>();
  const stand = await startProductStand({
    rows: { users: 10_000, workplaces: 10_000 },
    between: async (address, start) => {
      const settings: ProxySettings = { url: address.url, delayMs: 0 };
      const proxy = await start('trips/proxy-server.ts', settings);
      started.resolve(proxy);
      return { ...address, url: proxy.url };
    },
  });
  try {
    const measured = { stand, proxy: await started.promise };
    const costs: OperationCost[] = [];
    for (const operation of capacityOperations(stand)) {
      await operation.begin?.();
      costs.push(await costOf(measured, operation, effort));
      await operation.end?.();
    }
    return { costs, loads: loads(costs, effort.users) };
  } finally {
    await stand.stop();
  }
}

type Measured = { stand: ProductStand; proxy: Child };

async function costOf(
  measured: Measured,
  { name, prepare, run }: CapacityOperation,
  { requests, settledMs }: CapacityEffort,
): Promise<OperationCost> {
  let answered = 0;
  const send = async (prepared: unknown): Promise<void> => {
    const { status, body } = await run(prepared);
    const isExpected = name.endsWith('304') ? status === 304 : status < 300;
    if (!isExpected) throw new Error(`${name} was answered ${status}`);
    answered = status === 304 ? 0 : JSON.stringify(body).length;
  };
  const prepareAll = async () => {
    const prepared: unknown[] = [];
    while (prepared.length < requests) prepared.push(await prepare?.());
    return prepared;
  };
  // The first requests prepare statements and fill caches.
  for (const one of await prepareAll()) await send(one);
  const ready = await prepareAll();
  await delay(settledMs);
  const idle = await consumption(measured, () => delay(settledMs));
  const total = await consumption(measured, async () => {
    for (const one of ready) await send(one);
    await delay(settledMs);
  });
  const each = (count: Count): number => (total[count] - (idle[count] * total.ms) / idle.ms) / requests;
  return {
    name,
    trips: Math.round(total.trips / requests),
    bytes: Math.round(each('bytes')),
    answer_bytes: answered,
    wal_bytes: Math.max(0, Math.round(each('wal_bytes'))),
    database_cpu_ms: Number.isNaN(total.database_ms) ? null : Math.max(0, each('database_ms')),
    portal_cpu_ms: Number.isNaN(total.portal_ms) ? null : Math.max(0, each('portal_ms')),
  };
}

type Snapshot = { trips: number; bytes: number; wal_bytes: number; database_ms: number; portal_ms: number };
type Count = keyof Snapshot;

/** What was consumed during the work, and its duration. */
async function consumption(
  measured: Measured,
  work: () => Promise<unknown>,
): Promise<Snapshot & { ms: number }> {
  const startedAt = performance.now();
  const before = await snapshot(measured);
  await work();
  const after = await snapshot(measured);
  const spent = (count: Count): number => after[count] - before[count];
  return {
    trips: spent('trips'),
    bytes: spent('bytes'),
    wal_bytes: spent('wal_bytes'),
    database_ms: spent('database_ms'),
    portal_ms: spent('portal_ms'),
    ms: performance.now() - startedAt,
  };
}

async function snapshot({ stand, proxy }: Measured): Promise<Snapshot> {
  const { trips, sent, received } = await readProxy(proxy);
  const { wal, pids } = await databaseState(stand.admin);
  const times = await Promise.all(pids.map(cpuMs));
  return {
    trips,
    bytes: sent + received,
    wal_bytes: wal,
    database_ms: times.reduce<number>((sum, ms) => sum + (ms ?? Number.NaN), 0),
    portal_ms: (await cpuMs(stand.portalPid)) ?? Number.NaN,
  };
}

async function databaseState(admin: pg.Pool): Promise<{ wal: number; pids: number[] }> {
  const { rows } = await admin.query<{ wal: string; pids: number[] }>(
    `select pg_current_wal_lsn() - '0/0' as wal,
       array(select pid from pg_stat_activity where application_name like 'aggregator%') as pids`,
  );
  return { wal: Number(rows[0]?.wal), pids: rows[0]?.pids ?? [] };
}
