import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../support/database/database.ts';
import { newSecretKey } from '../support/identity/signing-keys.ts';
import { signingKey } from '../support/processes/sidecar-process.ts';
import { whereThereIs } from '../support/services.ts';
import { type Api, createApi } from './support/api.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from './support/portal-process.ts';

const hasLimits = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

whereThereIs('prlimit', hasLimits)('a portal that runs out of file descriptors', () => {
  let folder: string;
  let portal: PortalProcess;
  let database: FreshDatabase;
  let api: Api;
  let health: Api;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aggregator-ready-'));
    // The embedded database opens and closes files during the count.
    database = await freshDatabase();
    const env = {
      ...bareVariables(join(folder, 'data'), await freePorts(2)),
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      DATABASE_SIDECAR_URL: database.sidecarUrl,
      SECRET_KEY: newSecretKey(),
      AGGREGATOR_JWT_SSL_KEY: signingKey,
    };
    portal = await startPortal({ env });
    const ca = readFileSync(portal.announcement.ca_file, 'utf8');
    api = createApi(portal.announcement.base_url, ca);
    health = createApi(portal.announcement.health_url, ca);
  }, 90_000);
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([api?.close(), health?.close()]);
    await portal?.stop();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** An idle connection may be closed first while descriptors are scarce: the next one is used. */
  const send = (path: string) => api.send(`GET ${path}`).catch(() => api.send(`GET ${path}`));
  const status = async (path: string) => (await send(path)).status;

  it('is alive and not ready above 90 % of its limit, and ready again when descriptors are free', async () => {
    const { pid, base_url } = portal.announcement;
    const { hostname, port } = new URL(base_url);
    await expect.poll(() => status('/readyz'), { timeout: 20_000 }).toBe(200);
    const open = readdirSync(`/proc/${pid}/fd`).length;
    const limit = open + 400;
    await promisify(execFile)('prlimit', ['--pid', String(pid), `--nofile=${limit}:${limit}`]);
    expect(await status('/readyz')).toBe(200);
    // More than 90 %, and less than 100 %.
    while (sockets.length < Math.ceil(limit * 0.9) - open + 10) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    await expect.poll(() => status('/readyz'), { timeout: 8_000, interval: 100 }).toBe(503);
    expect(await status('/livez')).toBe(200);
    expect((await send('/readyz')).body).toBe('');
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => status('/readyz'), { timeout: 30_000 }).toBe(200);
  }, 90_000);

  it('has a sidecar that counts its own descriptors', async () => {
    const headers = { authorization: `Token ${portal.announcement.metrics_access_key}` };
    const { body } = await health.send('GET /aggregator/health/metrics', { headers });
    const sampleOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
    expect(sampleOf('process_open_fds')).toBeGreaterThan(10);
    expect(sampleOf('process_max_fds')).toBeGreaterThanOrEqual(sampleOf('process_open_fds'));
  });
});
