import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../../shared/runtime/log.ts';
import { telemetryInto } from '../../../shared/runtime/telemetry.ts';
import { createDatabase } from '../../../shared/tooling/start/created-database.ts';
import { prepareSchema } from '../../../shared/tooling/start/prepared-database.ts';
import {
  findBinaries,
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../../shared/tooling/start/throwaway-postgres.ts';
import { ensureLocalTls } from '../../../shared/tooling/start/tls/local-tls.ts';
import { databaseUrl } from '../../support/database/database.ts';
import { mayMount, mountSmallDisk, type SmallDisk } from '../../support/database/small-disk.ts';
import { accessKeys, askOver, checkPath, token } from '../../support/monitoring/health-port.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService, whereThereIs } from '../../support/services.ts';

const binaries = findBinaries() ?? '';
const patient = { timeout: 60_000, interval: 250 };

type Installation = {
  server: ThrowawayPostgres;
  /** Of a superuser. */
  run(statement: string): Promise<void>;
  portal: TestPortal;
  sidecar: Sidecar;
  /** Status of the health check and of its database entry. */
  health(): Promise<string>;
  stop(): Promise<void>;
};

/** A portal and a sidecar on a separate server. */
async function start(parent?: string): Promise<Installation> {
  const server = await startThrowawayPostgres(binaries, { parent });
  const address = await createDatabase(server.url);
  await prepareSchema(address);
  const superuserUrl = databaseUrl(server.url, new URL(address.url).pathname.slice(1));
  const client = new pg.Client({ connectionString: superuserUrl });
  client.on('error', () => undefined);
  await client.connect();
  const folder = await mkdtemp(join(tmpdir(), 'writes-'));
  const { caFile } = await ensureLocalTls(join(folder, 'tls'), []);
  const agent = new Agent({ connect: { ca: readFileSync(caFile, 'utf8') } });
  const portal = await startPortal({
    database: { ...address, superuserUrl, drop: async () => undefined },
    // As in production: the regular writes of a portal are its request counts.
    telemetry: (db, writes) => telemetryInto(db, createLog({ write: () => undefined }), { writes }),
  });
  const sidecar = await startSidecar({ databaseUrl: address.sidecarUrl, folder });
  return {
    server,
    run: async (statement) => void (await client.query(statement)),
    portal,
    sidecar,
    health: async () => {
      const headers = token(accessKeys.check);
      const { status, text } = await askOver(agent, `${sidecar.url}${checkPath}`, { headers });
      const report = JSON.parse(text);
      return `${status} ${report.status} ${report.checks['database:responseTime'][0].status}`;
    },
    stop: async () => {
      await sidecar.stop();
      await portal.close();
      await agent.destroy();
      await client.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const passing = '200 pass pass';
const failing = '503 fail fail';

async function readinessOf({ portal }: Installation) {
  const { status, body } = await portal.send('GET /readyz');
  expect(body ?? '').toBe('');
  return status;
}
const livenessOf = async ({ portal }: Installation) => (await portal.send('GET /livez')).status;

requireService('PostgreSQL', binaries !== '')('a database that is read-only', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await start();
  }, 120_000);
  afterAll(() => installation?.stop());

  it('fails the health check and readiness, and both pass when it accepts writes again', async () => {
    const { run, health } = installation;
    await expect.poll(health, patient).toBe(passing);
    expect(await readinessOf(installation)).toBe(200);
    await run('alter system set default_transaction_read_only = on');
    await run('select pg_reload_conf()');
    await expect.poll(health, patient).toBe(failing);
    // Within seconds, not only when the last successful write is a minute old.
    const since = performance.now();
    await expect.poll(() => readinessOf(installation), patient).toBe(503);
    expect(performance.now() - since).toBeLessThan(45_000);
    expect(await livenessOf(installation)).toBe(200);
    await run('alter system reset default_transaction_read_only');
    await run('select pg_reload_conf()');
    await expect.poll(health, patient).toBe(passing);
    await expect.poll(() => readinessOf(installation), patient).toBe(200);
  }, 300_000);
});

const hasDisk = binaries !== '' && mayMount();
whereThereIs('right to mount a file system', hasDisk)('a full disk', () => {
  let disk: SmallDisk;
  let installation: Installation;
  beforeAll(async () => {
    disk = await mountSmallDisk(200);
    installation = await start(disk.folder);
    // A new WAL segment, so that the server itself continues while there is no space for another one.
    await installation.run('checkpoint');
    await installation.run('select pg_switch_wal()');
    await installation.run('checkpoint');
  }, 120_000);
  afterAll(async () => {
    await installation?.stop();
    await disk?.remove();
  });

  it('fails the health check and readiness although updates succeed, and both pass when space is free again', async () => {
    const { run, health } = installation;
    await expect.poll(health, patient).toBe(passing);
    expect(await readinessOf(installation)).toBe(200);
    await disk.fill();
    // The reason why a check by an update alone is not enough.
    await run('update installation set written_at = now()');
    await expect.poll(health, patient).toBe(failing);
    await expect.poll(() => readinessOf(installation), patient).toBe(503);
    expect(await livenessOf(installation)).toBe(200);
    disk.free();
    await expect.poll(health, patient).toBe(passing);
    await expect.poll(() => readinessOf(installation), patient).toBe(200);
  }, 300_000);
});
