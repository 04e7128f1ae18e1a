import { readdirSync, readFileSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type GuardedWorkers, startGuardedWorkers } from '../../support/workers/guarded-workers.ts';
import type { Json } from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator';
const client = '/aggregator/api/client/v7.0';
const login = 'POST /api/auth/v7.0/login';
const password = 'correct horse battery staple';
const goodPassword = 'seven wild geese in a row';

/** A public read of each module: it builds the app, and all but one query the database. */
const first = [
  ['GET /api/auth/v7.0/authenticators', 200],
  [`GET ${client}/north/servicesList`, 401],
  ['GET /livez', 200],
  ['GET /api/userinfo', 401],
  [`GET ${webui}/sites`, 401],
] as const;
const paths = first.map(([route]) => route.split(' ')[1] ?? '');

let workers: GuardedWorkers;
let admin: string;

beforeAll(async () => {
  workers = await startGuardedWorkers(password);
});
afterAll(() => workers?.stop());

const credentials = (username: string, word: string, authSmallName: string) => ({
  body: { username, password: word, authSmallName },
});
const adminLogin = credentials('admin', password, 'builtin');

async function create(path: string, body: object): Promise<Json> {
  const answer = await workers.send(`POST ${webui}/${path}`, { token: admin, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

describe('a Worker isolate', () => {
  it('answers its first requests, although others disconnected while it was being built', async () => {
    const leaving = [0, 1, 5, 20].flatMap((ms) =>
      first.map(([route]) => workers.send(route, { signal: AbortSignal.timeout(ms) })),
    );
    const staying = [1, 2, 3].flatMap(() => first.map(([route]) => workers.send(route)));
    await Promise.allSettled(leaving);
    const answers = (await Promise.all(staying)).map(({ status }) => status);
    expect(answers).toEqual([1, 2, 3].flatMap(() => first.map(([, status]) => status)));
  });

  it('answers all of many logins, also after clients that disconnect', async () => {
    const leaving = [30, 60, 90].map((ms) =>
      workers.send(login, { ...adminLogin, signal: AbortSignal.timeout(ms) }),
    );
    const staying = Array.from({ length: 6 }, () => workers.send(login, adminLogin));
    await Promise.allSettled(leaving);
    const answers = (await Promise.all(staying)).map(({ status, body }) => body.code ?? status);
    // Passwords are hashed two at a time, and no request waits for another one.
    expect([200, 'overloaded']).toEqual(expect.arrayContaining([...new Set(answers)]));
    expect(answers).toContain(200);
    // Aborted requests may still run, but do not occupy a slot.
    const again = () => workers.login('admin', password, 'builtin');
    admin = await vi.waitFor(again, { timeout: 30_000 });
  }, 60_000);

  it('answers many requests, concurrent and sequential', async () => {
    const read = () => workers.send('GET /api/userinfo', { token: admin });
    const answers = await Promise.all(Array.from({ length: 40 }, read));
    for (let n = 0; n < 10; n++) answers.push(await read());
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('is ready for concurrent callers, also when some of them disconnect', async () => {
    const leaving = Array.from({ length: 6 }, () =>
      workers.send('GET /readyz', { signal: AbortSignal.timeout(5) }),
    );
    await Promise.allSettled(leaving);
    const answers = await Promise.all(Array.from({ length: 40 }, () => workers.send('GET /readyz')));
    const again = Array.from({ length: 5 }, () => workers.send('GET /readyz'));
    const all = [...answers, ...(await Promise.all(again))];
    // A request whose check was aborted leaves it to a request a second later.
    for (const { status } of all) expect([200, 503]).toContain(status);
    const ready = async () => expect((await workers.send('GET /readyz')).status).toBe(200);
    await vi.waitFor(ready, { timeout: 4_000, interval: 100 });
  });

  it('prevents a request from using I/O objects of another request', async () => {
    const deed = 'I/O of another';
    expect(await workers.attempt('/livez', deed)).toEqual({ refused: null });
    const { refused } = await workers.attempt('/livez', deed);
    expect(refused).toContain('Cannot perform I/O on behalf of a different request');
  });

  it('keeps no data of answered requests', async () => {
    const ask = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 20)
        await Promise.all(Array.from({ length: 20 }, () => workers.send('GET /api/errors/not_found')));
    };
    await ask(300);
    const before = residentMb();
    await ask(1_000);
    expect(before).toBeGreaterThan(10);
    expect(residentMb() - before).toBeLessThan(64);
  }, 90_000);
});

/** Memory of the workerd process that this process has started. */
function residentMb(): number {
  const children = readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
  const status = children.map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const [workerd = ''] = status.filter((text) => /^Name:\s+workerd/.test(text));
  return Number(/^VmRSS:\s+(\d+)/m.exec(workerd)?.[1] ?? 0) / 1024;
}

describe('the six connections of a Worker request', () => {
  const count = 9;
  const nodes: Simulator[] = [];
  let user: string;

  beforeAll(async () => {
    const corp = await create('authenticators', { name: 'Corp', small_name: 'corp', type: 'internal' });
    await create(`authenticators/${corp.id}/users`, { name: 'ada', password: goodPassword });
    const site = await create('sites', { name: 'North', uri: 'north', authenticators: [corp.id] });
    // Every list is read from the nodes: a cached one would need no connections.
    // On a busy machine a node must not count as failing because of a late call.
    const patience = { list_deadline_ms: { value: 30_000 }, breaker_failures: { value: 100 } };
    const body = { aggregator: { services_fresh_s: { value: 0 }, ...patience } };
    const saved = await workers.send('PUT /api/webui/aggregator/tconfig', { token: admin, body });
    expect(saved.status).toBe(200);
    for (let at = 0; at < count; at++) {
      const node = await startNode(`north-${at}`);
      const farm = await create('farms', { name: `Farm ${at}`, site_id: site.id });
      await create('dispatchers', { name: node.name, farm_id: farm.id, url: node.url });
    }
    user = await workers.login('ada', goodPassword, 'corp');
    await workers.report(client);
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  async function startNode(name: string): Promise<Simulator> {
    const domain = { authUuid: newId(), authSmallName: 'CORP', auth: 'Corp' };
    const pool = {
      name: `Pool of ${name}`,
      protocols: ['rdp' as const],
      workplaces: 1,
      entitled: 'all' as const,
    };
    const node = await startSimulator({
      state: createDispatcherState({ name, domains: [domain], pools: [pool] }),
      jwks: async () => (await workers.send('GET /api/auth/v7.0/jwks')).body,
      authority: workers.authority,
      knobs: { latencyMs: 60 },
    });
    nodes.push(node);
    return node;
  }
  async function reported(route: string, body?: object) {
    const answer = await workers.send(route, { token: user, ...(body && { body }) });
    const { requests } = await workers.report(client);
    expect(requests).toHaveLength(1);
    return { answer, fetches: requests[0]?.fetches ?? 0, most: requests[0]?.most };
  }

  it('are never exceeded by the first list, which requests keys and stores them', async () => {
    const { answer, fetches, most } = await reported(`GET ${client}/north/servicesList`);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.services).toHaveLength(count);
    // Two session keys and two calls per farm, and the database statements over the same connections.
    expect(fetches).toBeGreaterThan(4 * count);
    expect(most).toBe(6);
  });

  it('are all used by the next list, which has keys', async () => {
    // Session keys are stored after the response, so that one more list may have to request some.
    await vi.waitFor(async () => {
      // The third own statement stores the list after the response.
      const { answer, fetches, most } = await reported(`GET ${client}/north/servicesList`);
      expect(answer.body.services).toHaveLength(count);
      expect({ fetches, most }).toEqual({ fetches: count + 3, most: 6 });
    }, 10_000);
  });

  it('are never exceeded by a call to all farms for one session', async () => {
    const body = { session_uuid: newId() };
    const { answer, most } = await reported(`POST ${client}/north/reconnect/`, body);
    expect(answer).toMatchObject({ status: 404 });
    expect(most).toBe(6);
  });

  it('are released after a client that disconnects during a list', async () => {
    const route = `GET ${client}/north/servicesList`;
    const left = workers.send(route, { token: user, signal: AbortSignal.timeout(30) });
    await expect(left).rejects.toThrow();
    const answers = await Promise.all([1, 2, 3].map(() => workers.send(route, { token: user })));
    expect(answers.map(({ body }) => body.services.length)).toEqual([count, count, count]);
    const { requests } = await workers.report(client);
    expect(requests).toHaveLength(4);
    for (const { most } of requests) expect(most).toBeLessThanOrEqual(6);
  });
});

describe('code generation from strings', () => {
  it.each(
    paths.flatMap((path) => ['eval', 'new Function', 'WebAssembly.compile'].map((deed) => [path, deed])),
  )('is blocked in a request to %s: %s', async (path, deed) => {
    const { refused } = await workers.attempt(path, deed);
    expect(refused).toMatch(/generation (?:from strings )?disallowed/);
  });

  it.each([
    [login, { username: 7 }, 422],
    [`GET ${client}/north/servicesList`, undefined, 404],
    [`GET ${client}/north/servicesList?unknown=1`, undefined, 422],
    [`POST ${client}/north/reconnect/`, { session_uuid: 'x' }, 422],
    ['GET /api/errors/not_found', undefined, 200],
    ['PUT /api/userinfo/password', { current: 7, new: '' }, 422],
    [`POST ${webui}/sites`, { name: '', uri: 'No' }, 422],
    [`POST ${webui}/sites`, { name: 'South', uri: 'south', location: { latitude: 1, longitude: 2 } }, 201],
    [`GET ${webui}/sites?limit=3&sort=-name&count=exact`, undefined, 200],
  ])('is not needed to read and answer %s %j', async (route, body, status) => {
    const answer = await workers.send(route, { token: admin, ...(body && { body }) });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  });
});

describe('expensive password hashes', () => {
  it.each(paths)('are rejected in a request to %s', async (path) => {
    expect(await workers.attempt(path, 'scrypt')).toMatchObject({
      refused: expect.stringContaining('Scrypt'),
    });
    expect(await workers.attempt(path, 'PBKDF2')).toMatchObject({
      refused: expect.stringContaining('Pbkdf2'),
    });
  });

  it('are not those of the product', async () => {
    await workers.report('/api/auth');
    await workers.login('admin', password, 'builtin');
    const { derivations } = await workers.report('/api/auth');
    expect(derivations).toEqual([`scrypt ${2 ** 14 * 8 * 5}`]);
    expect((await workers.report(webui)).derivations).toContain(`scrypt ${2 ** 14 * 8 * 5}`);
  });

  it('have caused no failures before, and no request used objects of another', () => {
    expect(workers.lines.length).toBeGreaterThan(100);
    const failures = workers.lines.filter((line) =>
      /"level":"error"|different request|hanging|\bhung\b/i.test(line),
    );
    expect(failures).toEqual([]);
  });

  it('of an account make its login fail: the guard is where the product imports scrypt', async () => {
    const stored = `scrypt$${2 ** 15}$8$5$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const { id } = await create(`authenticators/${(await builtinDomain()).id}/users`, {
      name: 'costly',
      password: goodPassword,
    });
    await workers.db.update(users).set({ password_hash: stored }).where(eq(users.id, id));
    const answer = await workers.send(login, credentials('costly', goodPassword, 'builtin'));
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(workers.lines.filter((line) => line.includes('Scrypt failed: cost 1310720'))).toHaveLength(1);
  });

  async function builtinDomain(): Promise<Json> {
    const { body } = await workers.send(`GET ${webui}/authenticators?search=built-in`, { token: admin });
    return body.items[0];
  }
});
