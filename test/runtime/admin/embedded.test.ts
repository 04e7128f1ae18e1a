import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createSealer } from '../../../shared/kernel/crypto/sealing.ts';
import { startEmbeddedDatabase } from '../../../shared/tooling/embedded/database.ts';
import { readConfigFile } from '../../../shared/tooling/start/config-file.ts';
import { createApi } from '../../e2e/support/api.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { runAdmin } from '../../support/admin-command.ts';

let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-admin-'));
  env = bareVariables(join(folder, 'data'), await freePorts(2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const webui = '/api/webui/aggregator';
const configFile = () => join(folder, 'data', 'aggregator.conf');
const jwksOf = async (api: ReturnType<typeof createApi>) =>
  (await api.send('GET /api/auth/v7.0/jwks')).body.keys.map(({ kid }: { kid: string }) => kid);

async function onPortal<T>(work: (api: ReturnType<typeof createApi>, portal: PortalProcess) => Promise<T>) {
  const portal = await startPortal({ env });
  const { base_url, ca_file } = portal.announcement;
  const api = createApi(base_url, readFileSync(ca_file, 'utf8'));
  return work(api, portal).finally(async () => {
    await api.close();
    await portal.stop();
  });
}

async function addSealedKey(api: ReturnType<typeof createApi>, token: string): Promise<void> {
  const create = async (path: string, body: object) => {
    const answer = await api.send(`POST ${webui}/${path}`, { token, body });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const site_id = await create('sites', { name: 'North', uri: 'north' });
  const farm_id = await create('farms', { name: 'Farm', site_id });
  await create('dispatchers', {
    name: 'node',
    farm_id,
    url: 'https://127.0.0.1:9',
    health_key: 'a sealed key',
  });
}

it('npm run admin reports that there is no database before the first start', async () => {
  const { code, stderr } = await runAdmin({ ...env, DATA_DIR: join(folder, 'none') }, [
    'unlock',
    'builtin/admin',
  ]);
  expect([code, stderr.trimEnd()]).toEqual([1, expect.stringMatching(/contains no database/)]);
});

it('npm run admin changes keys and passwords of a stopped portal, which then starts with the new key alone', async () => {
  const published = await onPortal(async (api, { announcement: { pid, admin_password } }) => {
    await addSealedKey(api, await api.login('admin', admin_password ?? ''));
    const refused = await runAdmin(env, ['rotate-keys']);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`in use by process ${pid}`),
    });
    expect(refused.stderr).toMatch(/; stop it, or set another folder\n$/);
    return jwksOf(api);
  });
  const before = readConfigFile(configFile());
  expect((await runAdmin(env, ['rotate-keys'])).code).toBe(0);
  const { SECRET_KEY = '', AGGREGATOR_JWT_SSL_KEY_SECOND, ...after } = readConfigFile(configFile());
  const [newKey = '', ...others] = SECRET_KEY.split(',');
  expect([others, AGGREGATOR_JWT_SSL_KEY_SECOND]).toEqual([
    [before.SECRET_KEY],
    before.AGGREGATOR_JWT_SSL_KEY,
  ]);
  expect(after.METRICS_ACCESS_KEY).toBe(before.METRICS_ACCESS_KEY);
  expect(statSync(configFile()).mode & 0o777).toBe(0o600);

  const resealed = await runAdmin(env, ['reseal']);
  expect([resealed.code, resealed.stderr]).toEqual([0, '']);
  expect(resealed.stdout).toContain('dispatchers.health_key: 1 resealed, 0 remain\n');
  const text = readFileSync(configFile(), 'utf8');
  writeFileSync(configFile(), text.replace(SECRET_KEY, newKey));
  const typed = 'nine brass kettles sing';
  expect((await runAdmin(env, ['reset-password', 'builtin/admin', '--password'], typed)).code).toBe(0);

  await onPortal(async (api) => {
    expect(await api.login('admin', typed)).toMatch(/^[\w-]{43}$/);
    const kids = await jwksOf(api);
    expect([kids.length, kids.at(-1)]).toEqual([2, published[0]]);
  });
  await expectSealedBy(newKey);
}, 180_000);

async function expectSealedBy(key: string): Promise<void> {
  const database = await startEmbeddedDatabase({ folder: join(folder, 'data', 'database') });
  const { db, close } = connectPg({ url: database.url, maxConnections: 1 });
  try {
    const [node] = await db.select().from(dispatchers);
    const place = { table: 'dispatchers', row: node?.id ?? '', column: 'health_key' };
    expect(await (await createSealer([key])).open(node?.health_key ?? '', place)).toBe('a sealed key');
    const events = (await db.select().from(auditEvents)).filter(
      ({ user_name }) => user_name === 'break-glass',
    );
    expect(events.map(({ action }) => action)).toEqual(['rotate_keys', 'reseal', 'reset_password']);
  } finally {
    await close();
    await database.stop();
  }
}
