import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { it, type TestContext } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { startHealthyFleet } from '../../support/fleet/healthy-fleet.ts';
import { quietMinute } from '../../support/monitoring/quiet-minute.ts';
import {
  type CountedStatement,
  countedStatements,
  resetCounts,
  roleOf,
  startCountingServer,
  totalOf,
} from '../../support/monitoring/statement-counts.ts';
import { startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

/** The statements of a minute, as the server counts them, of a sidecar that has done its first work. */
async function statementsOfMinute(
  nodes: number,
  { expect, onTestFinished }: TestContext,
): Promise<CountedStatement[]> {
  const server = await startCountingServer();
  onTestFinished(server.stop);
  const { db, close } = connectPg({ url: server.url, maxConnections: 1 });
  onTestFinished(close);
  const fleet = await startHealthyFleet(nodes);
  onTestFinished(fleet.close);
  if (nodes > 0) await fleet.register(db);
  const folder = await mkdtemp(join(tmpdir(), 'idle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sidecar = await startSidecar({ databaseUrl: server.address.sidecarUrl, folder });
  onTestFinished(async () => void (await sidecar.stop()));
  // All nodes are healthy, and each of their four lists was read.
  const settled = async () => [
    await db.$count(dispatchers, sql`status = 'pass'`),
    await db.$count(farmParts, sql`fetched_at is not null and error is null`),
  ];
  await expect.poll(settled, { timeout: 120_000 }).toEqual([nodes, 4 * nodes]);
  await delay(10_000);
  await quietMinute();
  await resetCounts(server.admin);
  await delay(60_000);
  return countedStatements(server.admin, roleOf(server.address.sidecarUrl));
}

requireService('postgresql', findBinaries() !== undefined)('an idle sidecar', () => {
  // Side by side, because both wait for a minute.
  it.concurrent.for([
    [0, 30],
    [500, 60],
  ] as const)(
    'sends, with %i healthy nodes, at most %i statements a minute',
    { timeout: 400_000 },
    async ([nodes, most], context) => {
      const statements = await statementsOfMinute(nodes, context);
      context.expect(totalOf(statements), JSON.stringify(statements, null, 1)).toBeLessThanOrEqual(most);
    },
  );
});
