import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { Agent } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { atomically } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { forgetNotice } from '../../../db/postgres/work-notice.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { installation } from '../../../db/schema/settings/installation.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { auditEntry } from '../../support/audit/audit.ts';
import { startHealthyFleet } from '../../support/fleet/healthy-fleet.ts';
import { accessKeys, askOver, checkPath, metricsPath, token } from '../../support/monitoring/health-port.ts';
import {
  countedStatements,
  resetCounts,
  roleOf,
  startCountingServer,
} from '../../support/monitoring/statement-counts.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

const patient = { timeout: 90_000 };
const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startResting(sidecars: number) {
  const server = await startCountingServer();
  stops.push(server.stop);
  const { sidecarUrl, url } = server.address;
  const portal = connectPg({ url, maxConnections: 1 });
  const admin = connectPg({ url: server.url, maxConnections: 1 });
  stops.push(admin.close, portal.close);
  const fleet = await startHealthyFleet(3);
  stops.push(fleet.close);
  await fleet.register(admin.db);
  const folder = await mkdtemp(join(tmpdir(), 'rest-'));
  const { caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
  stops.push(
    () => rm(folder, { recursive: true, force: true }),
    () => agent.destroy(),
  );
  const started: Sidecar[] = [];
  for (let n = 0; n < sidecars; n++) {
    const sidecar = await startSidecar(
      { databaseUrl: sidecarUrl, folder },
      { DATABASE_MAY_SUSPEND: 'on', LOG_LEVEL: 'info' },
    );
    stops.push(sidecar.stop);
    started.push(sidecar);
  }
  const isResting = async () =>
    (await admin.db.select({ since: installation.resting_since }).from(installation))[0]?.since != null;
  const ask = (path: string, key: string, n = 0) =>
    askOver(agent, `${started[n]?.url}${path}`, { headers: token(key) });
  const passing = () => admin.db.$count(dispatchers, sql`status = 'pass'`);
  return {
    server,
    portal,
    admin,
    sidecars: started,
    isResting,
    ask,
    passing,
    statements: () => countedStatements(server.admin, roleOf(sidecarUrl)),
  };
}

requireService('postgresql', findBinaries() !== undefined)('a sidecar of a database that may suspend', () => {
  it('sends no statement while nothing is pending, and wakes at the first write', async () => {
    const { server, portal, admin, isResting, ask, passing, statements } = await startResting(2);
    await expect.poll(passing, patient).toBe(3);
    await expect.poll(isResting, patient).toBe(true);
    await delay(1_000);
    await resetCounts(server.admin);
    for (let second = 0; second < 60; second += 10) {
      await delay(10_000);
      for (const n of [0, 1]) {
        const check = await ask(checkPath, accessKeys.check, n);
        const metrics = await ask(metricsPath, accessKeys.metrics, n);
        expect([check.status, metrics.status]).toEqual([200, 200]);
        expect(metrics.text).toContain('aggregator_site_up{site=');
      }
    }
    expect(await statements()).toEqual([]);
    forgetNotice();
    await atomically(portal.db, (h) => [appendAudit(h, auditEntry(1))]);
    const unsealed = () => admin.db.$count(auditEvents, sql`seq is null`);
    await expect.poll(unsealed, { timeout: 1_000, interval: 20 }).toBe(0);
    // The results of probes are written before their age counts again.
    await expect.poll(isResting, patient).toBe(false);
    const youngest = await admin.db.$count(dispatchers, sql`last_check_at > now() - interval '30 seconds'`);
    expect(youngest).toBe(3);
    await expect.poll(isResting, patient).toBe(true);
  }, 300_000);
});
