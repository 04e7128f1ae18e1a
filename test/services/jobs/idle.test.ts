import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import type { DatabaseServer } from '../../support/database/stand.ts';
import { quietMinute } from '../../support/monitoring/quiet-minute.ts';
import {
  countedStatements,
  resetCounts,
  roleOf,
  startCountingServer,
  totalOf,
} from '../../support/monitoring/statement-counts.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

let server: DatabaseServer;
let folder: string;
let sidecar: Sidecar;

requireService('postgresql', findBinaries() !== undefined)('an idle sidecar', () => {
  beforeAll(async () => {
    server = await startCountingServer();
    folder = await mkdtemp(join(tmpdir(), 'idle-'));
    sidecar = await startSidecar({ databaseUrl: server.address.sidecarUrl, folder });
  });
  afterAll(async () => {
    await sidecar?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('PERF-7: sends at most 30 statements a minute without nodes', async () => {
    // Its first rounds, and those of its queue.
    await delay(10_000);
    await quietMinute();
    await resetCounts(server.admin);
    await delay(60_000);
    const statements = await countedStatements(server.admin, roleOf(server.address.sidecarUrl));
    expect(totalOf(statements), JSON.stringify(statements, null, 1)).toBeLessThanOrEqual(30);
  }, 240_000);
});
