import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../../../e2e/support/api.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  runPortal,
  startPortal,
} from '../../../e2e/support/portal-process.ts';
import { type FreshDatabase, freshDatabase } from '../../../support/database/database.ts';
import { type NeonProxy, startNeonProxy } from '../../../support/database/neon-proxy.ts';
import { newKeyVariables } from '../../../support/identity/signing-keys.ts';

const password = 'correct horse battery staple';
const sites = '/api/webui/aggregator/sites';

let folder: string;
let database: FreshDatabase;
let proxy: NeonProxy;
let env: NodeJS.ProcessEnv;
let portal: PortalProcess;
let api: Api;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-neon-'));
  database = await freshDatabase();
  proxy = await startNeonProxy({ databaseUrl: database.url });
  env = {
    ...bareVariables(folder, await freePorts(2)),
    DATABASE_DRIVER: 'neon',
    // Only the proxy has the address of the database: `pg` could reach only the one for migrations.
    DATABASE_URL: 'postgres://nobody:none@db.test/portal',
    DATABASE_OWNER_URL: database.ownerUrl,
    NEON_PROXY: proxy.url,
    ...newKeyVariables(),
    ADMIN_PASSWORD: password,
  };
  portal = await startPortal({ env });
  const { base_url, ca_file } = portal.announcement;
  api = createApi(base_url, readFileSync(ca_file, 'utf8'));
});
afterAll(async () => {
  await api?.close();
  await portal?.stop();
  await proxy?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('npm start with DATABASE_DRIVER=neon', () => {
  it('logs in, writes and reads', async () => {
    const token = await api.login('admin', password);
    const written = await api.send(`POST ${sites}`, { token, body: { name: 'North', uri: 'north' } });
    expect(written).toMatchObject({ status: 201 });
    const read = await api.send(`GET ${sites}/${written.body.id}`, { token });
    expect(read).toMatchObject({ status: 200, body: { uri: 'north' } });
  });

  it('has a sidecar whose jobs and answers use the same driver', async () => {
    const { health_url, ca_file, health_check_access_key: key } = portal.announcement;
    const health = createApi(health_url, readFileSync(ca_file, 'utf8'));
    const answer = await health.send('GET /aggregator/health/check', {
      headers: { authorization: `Token ${key}` },
    });
    await health.close();
    expect(answer).toMatchObject({ status: 200, body: { status: 'pass' } });
    expect(answer.body.checks['celery:connectionTest']).toHaveLength(2);
  });

  it.each([
    ['DATABASE_URL', '', /^DATABASE_URL: required with DATABASE_DRIVER=neon$/],
    ['NEON_PROXY', 'http://elsewhere.example', /^NEON_PROXY: must be a URL of this machine$/],
  ])('does not start with %s=%s', async (name, value, line) => {
    const { code, stderr } = await runPortal({ env: { ...env, [name]: value } });
    expect({ code, stderr: stderr.trimEnd() }).toEqual({ code: 1, stderr: expect.stringMatching(line) });
  });
});
