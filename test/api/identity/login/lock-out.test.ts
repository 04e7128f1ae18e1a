import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemParameters } from '../../../../db/schema/settings/system-parameters.ts';
import {
  addMember,
  addUser,
  adminOf,
  asker,
  audited,
  goodPassword,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Answer, Json, TestPortal } from '../../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
let user: Json;
const admin = adminOf(world);

beforeAll(async () => {
  portal = world.portal;
});
beforeEach(async () => {
  // Separates the failures of the tests, which share the limit of an address; moving the clock expires sessions.
  portal.advance(61);
  world.admin = asker(portal, await portal.login());
  user = await addUser(admin, world.domain);
});

const guess = (ip?: string, username: string = user.name) =>
  logIn(portal, world.domain, { name: username }, { password: 'a wrong guess' }, ip);
const right = (ip?: string) => logIn(portal, world.domain, user, {}, ip);

async function fail(times: number, ip?: string, username?: string): Promise<void> {
  for (let n = 0; n < times; n++) expect((await guess(ip, username)).status).toBe(401);
}

function expectLocked({ status, body, headers }: Answer, seconds: number): void {
  expect([status, body.code, body.retryable]).toEqual([429, 'locked_out', true]);
  const wait = Number(headers.get('retry-after'));
  expect(wait).toBeLessThanOrEqual(seconds);
  expect(wait).toBeGreaterThan(seconds - 20);
}

describe('the lock-out', () => {
  it('refuses the sixth attempt, also with the right password, until it expires', async () => {
    await fail(5);
    expectLocked(await guess(), 300);
    expectLocked(await right(), 300);
    portal.advance(250);
    expectLocked(await right(), 50);
    portal.advance(51);
    expect((await right()).status).toBe(200);
  });

  it('applies to one network: the IPv4 address or the /64', async () => {
    await fail(5, '203.0.113.7');
    expectLocked(await right('203.0.113.7'), 300);
    expect((await right('203.0.113.8')).status).toBe(200);
    expectLocked(await right('203.0.113.7'), 300);
    await fail(5, '2001:db8:1:2::7');
    expectLocked(await right('2001:db8:1:2:ffff::1'), 300);
    expect((await right('2001:db8:1:3::7')).status).toBe(200);
  });

  it('applies to one account: others of that network log in', async () => {
    const other = await addUser(admin, world.domain);
    await fail(5);
    expect((await logIn(portal, world.domain, other)).status).toBe(200);
  });

  it('starts again after a successful login', async () => {
    await fail(4);
    expect((await right()).status).toBe(200);
    await fail(4);
    expect((await right()).status).toBe(200);
  });

  it('doubles with every lock, up to an hour', async () => {
    for (const seconds of [300, 600, 1_200, 2_400, 3_600, 3_600]) {
      await fail(5);
      expectLocked(await right(), seconds);
      portal.advance(seconds + 1);
    }
    expect((await right()).status).toBe(200);
    await fail(5);
    expectLocked(await right(), 300);
  });

  it('counts every spelling of the account and every name of its domain', async () => {
    const { id, name, small_name } = world.domain;
    const spellings = [
      { authId: id, username: user.name },
      { auth: name, username: user.name.toUpperCase() },
      { authSmallName: small_name, username: ` ${user.name}` },
      { authSmallName: small_name.toUpperCase(), username: user.name },
      { authId: id, auth: name, username: `${user.name} ` },
    ];
    for (const body of spellings)
      await portal.send('POST /api/auth/v7.0/login', { body: { ...body, password: 'wrong' } });
    expectLocked(await right(), 300);
  });

  it('treats unknown users and unknown domains in the same way', async () => {
    const name = unique('nobody');
    await fail(5, undefined, name);
    expectLocked(await guess(undefined, name), 300);
    const nowhere = () =>
      portal.send('POST /api/auth/v7.0/login', { body: { username: name, password: 'x', auth: 'nowhere' } });
    for (let n = 0; n < 5; n++) expect((await nowhere()).status).toBe(401);
    expectLocked(await nowhere(), 300);
  });

  it('is shown to administrators and removed by PATCH {"locked_until": null}', async () => {
    const one = `${usersPath(world.domain)}/${user.id}`;
    expect((await admin(`GET ${one}`)).body.locked_until).toBeNull();
    await fail(5);
    const { body } = await admin(`GET ${one}`);
    expect(Date.parse(body.locked_until)).toBeGreaterThan(Date.now());
    const list = await admin(`GET ${usersPath(world.domain)}?search=${user.name}`);
    expect(list.body.items.map((item: Json) => item.locked_until)).toEqual([body.locked_until]);
    expect((await admin(`PUT ${one}`, body)).status).toBe(200);
    expectLocked(await right(), 300);
    expect((await admin(`PATCH ${one}`, { locked_until: '2030-01-01T00:00:00.000Z' })).status).toBe(422);
    const { result, events } = await audited(portal, () => admin(`PATCH ${one}`, { locked_until: null }));
    expect([result.status, result.body.locked_until]).toEqual([200, null]);
    expect(events).toHaveLength(1);
    expect(events[0]?.changes).toMatchObject([{ field: 'locked_until', after: null }]);
    expect((await right()).status).toBe(200);
    await fail(4);
    expect((await right()).status).toBe(200);
  });

  it('evaluates five of many concurrent guesses', async () => {
    const { result, events } = await audited(portal, () =>
      Promise.all(Array.from({ length: 20 }, () => guess())),
    );
    const statuses = result.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
    expectLocked(await right(), 300);
    expect(events.filter(({ event }) => event === 'portal.UserLocked')).toHaveLength(1);
  });

  it('admits the right password among many guesses only before it begins', async () => {
    const passwords = Array.from({ length: 20 }, (_, at) =>
      at === 12 ? goodPassword : `guess number ${at}`,
    );
    const { result, events } = await audited(portal, () =>
      Promise.all(passwords.map((password) => logIn(portal, world.domain, user, { password }))),
    );
    const count = (status: number) => result.filter((answer) => answer.status === status).length;
    expect(count(401) + count(429) + count(200)).toBe(20);
    // A successful login resets the count of failures.
    expect(count(401)).toBeLessThanOrEqual(count(200) === 1 ? 9 : 5);
    expectLocked(await right(), 300);
    expect(events.filter(({ event }) => event === 'portal.UserLocked')).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'portal.UserLogin')).toHaveLength(count(200));
  });

  it('never admits the right password after it began, however short the interval', async () => {
    await fail(4);
    const answers = await Promise.all([guess(), guess(), guess(), right()]);
    const [, , , good] = answers;
    const wrong = answers.slice(0, 3).filter(({ status }) => status === 401).length;
    if (good?.status === 200) expect(wrong).toBeLessThanOrEqual(3);
    else expect([wrong, good?.status]).toEqual([1, 429]);
  });

  it('writes one event for each failure and one for the lock', async () => {
    const { events } = await audited(portal, () => fail(5, '198.51.100.9'));
    const names = events.map(({ event }) => event).sort();
    expect(names).toEqual([...Array(5).fill('portal.LoginFailed'), 'portal.UserLocked']);
    const lock = events.find(({ event }) => event === 'portal.UserLocked');
    expect(lock).toMatchObject({
      user_name: user.name,
      source_ip: '198.51.100.9',
      details: { network: '198.51.100.9' },
    });
  });

  it('also applies to guesses of the current password within a session', async () => {
    const { ask, user: member } = await addMember(world, []);
    const change = (current: string) =>
      ask('PUT /api/userinfo/password', { current, new: 'another long pass phrase' });
    for (let n = 0; n < 5; n++) expect((await change('wrong')).body.code).toBe('invalid_credentials');
    expectLocked(await change(goodPassword), 300);
    expectLocked(await logIn(portal, world.domain, member), 300);
  });

  it('counts concurrent guesses within a session as well', async () => {
    const { ask } = await addMember(world, []);
    const { result, events } = await audited(portal, () =>
      Promise.all(
        Array.from({ length: 15 }, (_, at) =>
          ask('PUT /api/userinfo/password', { current: `guess ${at}`, new: 'another long pass phrase' }),
        ),
      ),
    );
    const statuses = result.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(10).fill(429)]);
    expect(events.filter(({ event }) => event === 'portal.UserLocked')).toHaveLength(1);
  });

  it('follows its system parameters', async () => {
    const now = new Date();
    await portal.db.insert(systemParameters).values([
      { name: 'lockout.max_tries', value: 1, updated_at: now },
      { name: 'lockout.block_s', value: 60, updated_at: now },
    ]);
    await fail(1);
    expectLocked(await right(), 60);
    portal.advance(61);
    await fail(1);
    expectLocked(await right(), 120);
    await portal.db.delete(systemParameters);
  });
});

it('distinguishes a request without credentials from one with an invalid token', async () => {
  const statusOf = async (token?: string) => (await asker(portal, token)('GET /api/userinfo')).body.code;
  expect(await statusOf()).toBe('unauthenticated');
  expect(await statusOf('x'.repeat(43))).toBe('invalid_token');
  expect(await statusOf('x'.repeat(10_000))).toBe('invalid_token');
  expect(await statusOf("' or 1=1 --")).toBe('invalid_token');
});
