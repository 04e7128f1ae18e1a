import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { connectPg } from '../../../db/pg.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { startHealthyFleet } from '../../support/fleet/healthy-fleet.ts';
import { quietMinute } from '../../support/monitoring/quiet-minute.ts';
import {
  countedStatements,
  resetCounts,
  roleOf,
  startCountingServer,
  totalOf,
} from '../../support/monitoring/statement-counts.ts';
import { startSidecar } from '../../support/processes/sidecar-process.ts';
import type { GoalFigure } from '../goals.ts';

export type IdleEffort = { seconds: number; nodes: readonly number[] };

/** Of one idle sidecar: per minute, as the server counts, and the longest time between two statements. */
export type IdleRow = {
  nodes: number;
  statements: number;
  longestSilenceS: number;
  walBytes: number;
  cpuS: number;
};

export const idleLines = (rows: readonly IdleRow[]): string[] => [
  'An idle sidecar, per minute, and its longest silence',
  ...rows.map(
    ({ nodes, statements, longestSilenceS, walBytes, cpuS }) =>
      `${nodes} nodes: ${statements.toFixed(0)} statements, ${(walBytes / 1e6).toFixed(2)} MB of WAL, ${cpuS.toFixed(2)} s of CPU; ${longestSilenceS.toFixed(1)} s`,
  ),
  '',
];

/** Most statements per minute without nodes and with them. */
const limits = { none: 30, some: 60 };

export const idleGoals = (rows: readonly IdleRow[]): GoalFigure[] =>
  rows.map(({ nodes, statements }) => ({
    name: `idle with ${nodes} nodes, statements/min`,
    goal: nodes === 0 ? limits.none : limits.some,
    better: 'less',
    measured: Math.round(statements),
  }));

/** Clock ticks per second of `/proc/<pid>/stat` on Linux. */
const ticksPerS = 100;

export async function measureIdle({ seconds, nodes }: IdleEffort): Promise<IdleRow[]> {
  const rows: IdleRow[] = [];
  for (const count of nodes) rows.push(await measure(count, seconds));
  return rows;
}

async function measure(nodes: number, seconds: number): Promise<IdleRow> {
  const server = await startCountingServer();
  const admin = connectPg({ url: server.url, maxConnections: 1 });
  const fleet = await startHealthyFleet(nodes);
  const folder = await mkdtemp(join(tmpdir(), 'idle-'));
  try {
    if (nodes > 0) await fleet.register(admin.db);
    const sidecar = await startSidecar({ databaseUrl: server.address.sidecarUrl, folder });
    try {
      const read = () => admin.db.$count(farmParts, sql`fetched_at is not null`);
      while ((await read()) < 4 * nodes) await delay(500);
      await delay(10_000);
      await quietMinute();
      return {
        nodes,
        ...(await figuresOf(server.admin, roleOf(server.address.sidecarUrl), sidecar.pid, seconds)),
      };
    } finally {
      await sidecar.stop();
    }
  } finally {
    await Promise.all([admin.close(), fleet.close(), rm(folder, { recursive: true, force: true })]);
    await server.stop();
  }
}

async function figuresOf(admin: pg.Client, role: string, pid: number, seconds: number) {
  const perMinute = (value: number): number => (value * 60) / seconds;
  await resetCounts(admin);
  const [wal, cpu] = [await walOf(admin), cpuOf(pid)];
  const longestSilenceS = await silenceOf(admin, role, seconds);
  return {
    statements: perMinute(totalOf(await countedStatements(admin, role))),
    longestSilenceS,
    walBytes: perMinute((await walOf(admin)) - wal),
    cpuS: perMinute(cpuOf(pid) - cpu),
  };
}

/** The number of statements is read ten times a second. */
async function silenceOf(admin: pg.Client, role: string, seconds: number): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000;
  let [longest, since, count] = [0, performance.now(), 0];
  while (performance.now() < endsAt) {
    const current = totalOf(await countedStatements(admin, role));
    const now = performance.now();
    if (current !== count) [since, count] = [now, current];
    longest = Math.max(longest, now - since);
    await delay(100);
  }
  return longest / 1_000;
}

async function walOf(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0' as bytes`);
  return Number(rows[0]?.bytes ?? 0);
}

/** User and system time in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerS;
}
