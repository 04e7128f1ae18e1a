import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { ask, connectionOf, keyFor, patch, person, sim, useSimulator, workplaceOf } from '../data/fixture.ts';
import { createDispatcherState } from '../data/seed.ts';
import { openSession } from '../data/sessions.ts';

useSimulator();

test('the simulated health check needs its key, and is 503 when it fails', async () => {
  const headers = { authorization: `Token ${sim.healthKey}` };
  expect((await ask('/api/health/check')).status).toBe(401);
  expect(await ask('/api/health/check', { headers })).toMatchObject({
    status: 200,
    body: { status: 'pass' },
  });
  sim.knobs.health = 'fail';
  expect(await ask('/api/health/check', { headers })).toMatchObject({
    status: 503,
    body: { status: 'fail' },
  });
});

describe('a user of the simulator', () => {
  test('gets the services with an entitlement of the user or a group', async () => {
    const namesFor = async (claims: JWTPayload) => {
      const { body } = await ask('/api/client/v7.0/services', { key: await keyFor(claims) });
      return body.items.map(({ name }: { name: string }) => name);
    };
    expect(await namesFor(person('ada'))).toEqual(['Office', 'Finance', 'Workshop']);
    expect(await namesFor(person('bob', ['Payroll']))).toEqual(['Office', 'Finance', 'Workshop']);
    expect(await namesFor(person('bob', ['sales']))).toEqual(['Office', 'Workshop']);
    expect((await ask(connectionOf('Finance'), { key: await keyFor(person('bob')) })).status).toBe(404);
  });

  test('gets connection parameters with a new password each time, and keeps the session', async () => {
    const key = await keyFor(person('ada'));
    const first = await ask(`${connectionOf('Office')}?protocol=spice`, { key });
    const second = await ask(connectionOf('Office'), { key });
    expect(first).toMatchObject({
      status: 200,
      body: {
        protocol: 'spice',
        port: 5900,
        username: 'ada',
        domain: 'CORP',
        expires_in: 60,
        spice: { tls_port: 5901 },
      },
    });
    expect(second.body).toMatchObject({
      protocol: 'rdp',
      session_uuid: first.body.session_uuid,
      rdp: { color_depth: 32 },
    });
    expect(second.body.password).not.toBe(first.body.password);
    const { body } = await ask('/api/client/v7.0/services', { key });
    expect(body.items[0]).toMatchObject({
      in_use: true,
      sessions: [{ session_uuid: first.body.session_uuid, state: 'active' }],
    });
  });

  test('gets the waiting answer for a pool in preparation from both calls', async () => {
    const key = await keyFor(person('ada'));
    expect(await ask(connectionOf('Workshop'), { key })).toMatchObject({
      status: 409,
      body: { code: 'service_in_preparation', reason_code: 'preparing', percent: 40, retry_after_ms: 2_000 },
    });
    const before = connectionOf('Workshop').replace('connection', 'preconnection');
    expect((await ask(before, { key })).body).toMatchObject({
      verdict: 'wait',
      ready: false,
      reason_code: 'preparing',
    });
    sim.state.changePool('Workshop', { state: 'ready' });
    expect((await ask(before, { key })).body).toMatchObject({ verdict: 'connect', ready: true });
    expect((await ask(`${before}?protocol=rdp`, { key })).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'protocol_not_offered',
      protocol: 'spice',
    });
  });

  test('reconnects by the latest link only, and never to the session of another user', async () => {
    const key = await keyFor(person('ada'));
    const { session_uuid } = (await ask(connectionOf('Office'), { key })).body;
    const pathOf = (link: string) => link.replace(/^udss:\/\/[^/]+/, '');
    const renew = (of: string) =>
      ask('/api/client/v7.0/reconnect/', { method: 'POST', key: of, body: { session_uuid } });
    const [old, latest] = [(await renew(key)).body.link, (await renew(key)).body.link];
    expect((await ask(pathOf(old), { key })).status).toBe(404);
    expect(await ask(pathOf(latest), { key })).toMatchObject({ status: 200, body: { session_uuid } });
    expect((await renew(await keyFor(person('bob')))).status).toBe(404);
  });
});

describe('lists of the simulator', () => {
  test('have pages with cursors, each row once, with one as_of', async () => {
    const key = await keyFor();
    const first = (await ask('/api/webui/workplaces?limit=4', { key })).body;
    const rest = (await ask(`/api/webui/workplaces?limit=4&cursor=${first.next}`, { key })).body;
    const uuids = [...first.items, ...rest.items].map(({ uuid }: { uuid: string }) => uuid);
    expect(new Set(uuids).size).toBe(6);
    expect(rest).toMatchObject({ next: null, as_of: first.as_of });
    expect((await ask('/api/webui/workplaces?cursor=x', { key })).status).toBe(400);
    expect((await ask('/api/webui/workplaces?limit=1001', { key })).status).toBe(422);
  });

  test('return changes and deletions since a time', async () => {
    const key = await keyFor();
    const { as_of, ...full } = (await ask('/api/webui/workplaces', { key })).body;
    expect(full).not.toHaveProperty('removed');
    const gone = workplaceOf('Office', 3).uuid;
    const changed = workplaceOf('Office', 1).uuid;
    expect((await ask(`/api/webui/workplaces/${gone}`, { method: 'DELETE', key })).status).toBe(202);
    await patch(`/api/webui/workplaces/${changed}/tags`, key, { tags: ['red'] });
    const news = (await ask(`/api/webui/workplaces?since=${as_of}`, { key })).body;
    expect(news).toMatchObject({ items: [{ uuid: changed, tags: ['red'] }], removed: [gone] });
    const nothing = (await ask(`/api/webui/workplaces?since=${news.as_of}`, { key })).body;
    expect(nothing).toMatchObject({ items: [], removed: [] });
    const ancient = (await ask('/api/webui/workplaces?since=2001-01-01T00:00:00.000Z', { key })).body;
    expect(ancient.items).toHaveLength(5);
    expect(ancient).not.toHaveProperty('removed');
  });

  test('return 304 until there is a change', async () => {
    const key = await keyFor();
    const { etag } = await ask('/api/webui/servicespools', { key });
    const again = () => ask('/api/webui/servicespools', { key, headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    openSession(sim.state, workplaceOf('Office'), {
      person: { domain: 'CORP', name: 'ada' },
      protocol: 'rdp',
    });
    expect(await again()).toMatchObject({ status: 200, body: { items: [{ in_use_count: 1 }, {}, {}] } });
  });
});

describe('workplaces and sessions of the simulator', () => {
  test('a machine refuses actions that its state does not allow', async () => {
    const key = await keyFor();
    const machine = (action: string) =>
      patch(`/api/webui/workplaces/${workplaceOf('Office').uuid}/machine`, key, { action });
    expect((await machine('start')).status).toBe(409);
    expect(await machine('suspend')).toMatchObject({ status: 200, body: { machine_state: 'suspended' } });
    expect((await machine('shutdown')).status).toBe(409);
    expect((await machine('resume')).status).toBe(200);
    expect((await machine('explode')).status).toBe(422);
  });

  test('two concurrent assignments of one workplace have one winner, and a user has at most one workplace of a pool', async () => {
    const key = await keyFor();
    const assign = (n: number, user: string | null, domain = 'corp') =>
      patch(`/api/webui/workplaces/${workplaceOf('Office', n).uuid}/assign`, key, { domain, user });
    const race = await Promise.all([assign(0, 'ada'), assign(0, 'bob')]);
    expect(race.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = race.find(({ status }) => status === 200)?.body.owner.name;
    expect((await assign(1, winner)).status).toBe(409);
    expect(await assign(0, null)).toMatchObject({ status: 200, body: { owner: null } });
    expect((await assign(1, 'ada', 'NOWHERE')).status).toBe(422);
  });

  test('a refresh keeps a live session unless forced, and an ended session is 404', async () => {
    const key = await keyFor();
    const workplace = workplaceOf('Office');
    const { session_uuid } = openSession(sim.state, workplace, {
      person: { domain: 'CORP', name: 'ada' },
      protocol: 'rdp',
    });
    const session = (action: string) => patch(`/api/webui/spsessions/${session_uuid}/${action}`, key);
    const refresh = (body: object) => patch(`/api/webui/workplaces/${workplace.uuid}/refresh`, key, body);
    expect(await session('raconnect')).toMatchObject({ status: 200, body: { expires_in: 300 } });
    expect(await session('disconnect')).toMatchObject({ status: 200, body: { state: 'disconnected' } });
    expect((await refresh({})).status).toBe(409);
    expect(await refresh({ force: true })).toMatchObject({
      status: 200,
      body: { in_use: false, revision: 2 },
    });
    expect((await session('logoff')).status).toBe(404);
  });

  test('a pool is updated, set to maintenance, and receives messages where users are connected', async () => {
    const key = await keyFor();
    const pool = `/api/webui/servicespools/${sim.state.poolNamed('Office').uuid}`;
    openSession(sim.state, workplaceOf('Office'), {
      person: { domain: 'CORP', name: 'ada' },
      protocol: 'rdp',
    });
    const put = (body: object) => ask(pool, { method: 'PUT', key, body });
    expect((await put({ name: 'Finance' })).status).toBe(409);
    expect((await put({ name: 'Office', initial_srvs: 9 })).status).toBe(422);
    expect(await put({ name: 'Desk', tags: ['new'] })).toMatchObject({
      status: 200,
      body: { name: 'Desk', max_srvs: 4 },
    });
    const uuids = [0, 1].map((n) => workplaceOf('Desk', n).uuid);
    const order = { message: 'Save your work', workplaces: uuids };
    expect((await ask(`${pool}/message`, { method: 'POST', key, body: order })).body).toEqual({
      delivered: [uuids[0]],
      failed: [{ workplace_uuid: uuids[1], code: 'no_session' }],
    });
    const order2 = { maintenance: true, message: 'Until noon' };
    expect((await patch(`${pool}/maintenance`, key, order2)).body).toMatchObject({ state: 'maintenance' });
    const before = connectionOf('Desk').replace('connection', 'preconnection');
    const answer = await ask(before, { key: await keyFor(person('bob')) });
    expect(answer.body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'maintenance',
      message: 'Until noon',
    });
    expect((await ask(`${pool}/policies`, { key })).body).toHaveLength(3);
  });
});

test('the simulator has ten thousand workplaces at once, identical each time', () => {
  const make = () =>
    createDispatcherState({
      name: 'large',
      domains: [],
      pools: [{ name: 'All', protocols: ['rdp'], workplaces: 10_000, entitled: 'all' }],
    });
  const started = performance.now();
  const uuids = (state: ReturnType<typeof make>) => state.workplaces.all().map(({ uuid }) => uuid);
  expect(uuids(make())).toEqual(uuids(make()));
  expect(performance.now() - started).toBeLessThan(2_000);
});
