import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Api, createApi, type Json } from './support/api.ts';
import {
  bareVariables,
  type Ending,
  freePorts,
  isFree,
  type PortalProcess,
  runPortal,
  startPortal,
} from './support/portal-process.ts';

// Each test starts portals, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

let folder: string;
let env: NodeJS.ProcessEnv;
let ports: number[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-life-'));
  ports = await freePorts(2);
  env = bareVariables(join(folder, 'data'), ports);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const apiOf = ({ announcement: { base_url, ca_file } }: PortalProcess): Api =>
  createApi(base_url, readFileSync(ca_file, 'utf8'));

/** @returns the uris of sites that were acknowledged before the portal stopped answering */
async function createUntilDeath(api: Api, token: string, count: number, kill: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 1; ; n += 1) {
    const body = { name: `Site ${n}`, uri: `site-${n}` };
    const answer = await api.send('POST /api/webui/aggregator/sites', { token, body }).catch(() => undefined);
    if (answer === undefined) return acknowledged;
    expect(answer.status).toBe(201);
    acknowledged.push(body.uri);
    // During the next write, not between two of them.
    if (n === count) setImmediate(kill);
  }
}

describe('a portal that is killed and started again', () => {
  let first: PortalProcess;
  let second: PortalProcess;
  let token: string;
  let acknowledged: string[];

  beforeAll(async () => {
    first = await startPortal({ env });
    const api = apiOf(first);
    token = await api.login('admin', first.announcement.admin_password ?? '');
    const kill = () => process.kill(first.announcement.pid, 'SIGKILL');
    acknowledged = await createUntilDeath(api, token, 25, kill);
    await api.close();
  });
  afterAll(() => second?.stop());

  it('ends its sidecar as well', async () => {
    await first.ended;
    expect(await Promise.all(ports.map(isFree))).toEqual([true, true]);
  });

  it('starts again with the same keys, and does not print the password again', async () => {
    second = await startPortal({ env });
    if (second.startMs > 6_000) console.warn(`a later start took ${second.startMs} ms, more than 6 s`);
    const { admin_password, pid, ...kept } = first.announcement;
    expect(second.announcement).toEqual({ ...kept, pid: expect.any(Number) });
    expect(second.announcement.pid).not.toBe(pid);
  });

  it('has all acknowledged writes, including the session', async () => {
    const api = apiOf(second);
    const { status, body } = await api.send('GET /api/webui/aggregator/sites?limit=500', { token });
    await api.close();
    expect(status).toBe(200);
    const uris = body.items.map(({ uri }: Json) => uri);
    expect(acknowledged.length).toBeGreaterThanOrEqual(25);
    expect(acknowledged.filter((uri) => !uris.includes(uri))).toEqual([]);
  });
});

describe('a first start', () => {
  it('with a weak password is refused with the password policy', async () => {
    const variables = bareVariables(join(folder, 'weak'), await freePorts(2));
    const { code, stdout, stderr } = await runPortal({ env: { ...variables, ADMIN_PASSWORD: 'short' } });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^ADMIN_PASSWORD: must be a password of \d+ to 256 characters, [^\n]*\n$/,
      ),
    });
  });
});

describe('a portal that is started with --watch', () => {
  it('serves from its sources, and ends with all its processes', async () => {
    const own = await freePorts(2);
    const portal = await startPortal({
      env: bareVariables(join(folder, 'watched'), own),
      command: ['shared/tooling/launch.mjs', 'functions/all.ts', '--json', '--watch'],
    });
    expect(await apiOf(portal).send('GET /readyz')).toMatchObject({ status: 200 });
    await portal.stop();
    expect(await Promise.all(own.map(isFree))).toEqual([true, true]);
  }, 60_000);
});

describe('a portal behind a TLS-terminating proxy', () => {
  const start = async (more: NodeJS.ProcessEnv) => {
    const [port = 0, healthPort = 0] = await freePorts(2);
    const variables = bareVariables(join(folder, 'plain'), [port, healthPort]);
    const portal = await startPortal({ env: { ...variables, TLS: 'off', ...more } });
    return { port, healthPort, portal };
  };

  it('prints its public address', async () => {
    const { port, healthPort, portal } = await start({});
    const { announcement } = portal;
    const api = createApi(announcement.base_url);
    const { status } = await api.send('GET /livez');
    await api.close();
    await portal.stop();
    expect(status).toBe(200);
    expect(announcement).toMatchObject({
      base_url: `http://localhost:${port}`,
      health_url: `http://localhost:${healthPort}`,
    });
    expect(announcement).not.toHaveProperty('ca_file');
    expect(announcement).not.toHaveProperty('local_url');
  });

  it('prints the address of the listener besides the public one', async () => {
    const { port, portal } = await start({ BASE_URL: 'https://portal.example' });
    const { announcement } = portal;
    await portal.stop();
    expect(announcement).toMatchObject({
      base_url: 'https://portal.example',
      local_url: `http://127.0.0.1:${port}`,
    });
    expect(announcement).not.toHaveProperty('ca_file');
  });
});

describe('a second start', () => {
  let running: PortalProcess;

  beforeAll(async () => {
    running = await startPortal({ env });
  });
  afterAll(() => running?.stop());

  const expectRefusal = ({ code, stdout, stderr }: Ending, line: RegExp): void => {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd()).toMatch(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  };

  it('on the same data folder is refused with the owner of the folder', async () => {
    const refused = await runPortal({ env: bareVariables(join(folder, 'data'), await freePorts(2)) });
    expectRefusal(
      refused,
      new RegExp(
        `^DATA_DIR: ${folder}/data is in use by process ${running.announcement.pid}; stop it, or set another folder$`,
      ),
    );
  });

  it('on a used port is refused with the port and the variable', async () => {
    const [free = 0] = await freePorts(1);
    const refused = await runPortal({ env: bareVariables(join(folder, 'other'), [ports[0] ?? 0, free]) });
    expectRefusal(refused, new RegExp(`^PORT: 127\\.0\\.0\\.1:${ports[0]} is in use`));
  });

  it('with an invalid variable is refused with the variable and the expected format', async () => {
    const refused = await runPortal({ env: { ...env, PORTAL_TYPE: 'everybody' } });
    expectRefusal(refused, /^PORTAL_TYPE: must be one of admin, user, universal$/);
  });

  it('does not affect the running portal', async () => {
    const api = apiOf(running);
    expect((await api.send('GET /livez')).status).toBe(200);
    await api.close();
  });
});
