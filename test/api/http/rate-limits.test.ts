import { beforeEach, describe, expect, it } from 'vitest';
import { addMember, base, logIn, useWorld } from '../../support/factories.ts';
import { type Answer, adminPassword, startPortal } from '../../support/portal.ts';

const path = `${base}/tconfig`;
const world = useWorld();
let hosts = 0;

/** Resets every quota. */
beforeEach(async () => {
  world.portal.advance(60);
  await limit(6_000, 3_000);
});

/** Sets the limits of an address and of a session, which no other test uses. */
async function limit(session: number, address: number): Promise<void> {
  const limits = {
    per_token_per_minute: { value: session },
    anonymous_per_ip_per_minute: { value: address },
  };
  const ip = freshIp();
  const { body } = await logIn(world.portal, { id: undefined }, { name: 'admin' }, builtinLogin, ip);
  const put = await world.portal.send(`PUT ${path}`, { ip, token: body.token, body: { limits } });
  expect(put.status).toBe(200);
  // The next statement of any session reads the new values.
  expect((await from(ip, body.token)()).status).toBe(200);
}
const builtinLogin = { authSmallName: 'builtin', authId: undefined, password: adminPassword };
/** An unused address. */
const freshIp = (): string => `192.0.2.${++hosts}`;
const inTurn = async (count: number, work: () => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await work());
  return answers;
};
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const from = (ip: string, token?: string) => () => world.portal.send('GET /api/userinfo', { ip, token });

describe('the rate limit of a session', () => {
  it('refuses excess requests with Retry-After, and no other session', async () => {
    const [loud, quiet] = [await addMember(world, []), await addMember(world, [])];
    await Promise.all([loud.ask('GET /api/userinfo'), quiet.ask('GET /api/userinfo')]);
    await limit(3, 3_000);
    const answers = await inTurn(6, () => loud.ask('GET /api/userinfo'));
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429, 429, 429]);
    const { headers, body } = answers[5] as Answer;
    const wait = Number(headers.get('retry-after'));
    expect(wait >= 1 && wait <= 20).toBe(true);
    expect(headers.get('ratelimit')).toBe(`"session";r=0;t=${wait}`);
    expect(headers.get('ratelimit-policy')).toBe('"session";q=3;w=60');
    expect(body).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      policy: 'session',
      limit_per_minute: 3,
    });
    expect((await quiet.ask('GET /api/userinfo')).status).toBe(200);
    world.portal.advance(20);
    expect(statusesOf(await inTurn(2, () => loud.ask('GET /api/userinfo')))).toEqual([200, 429]);
    await limit(0, 3_000);
    world.portal.advance(20);
    expect(new Set(statusesOf(await inTurn(20, () => loud.ask('GET /api/userinfo'))))).toEqual(
      new Set([200]),
    );
  });

  it('is checked without a database query and before the session lookup', async () => {
    const { ask } = await addMember(world, []);
    await ask('GET /api/userinfo');
    await limit(2, 3_000);
    await inTurn(2, () => ask('GET /api/userinfo'));
    const before = world.portal.trips();
    expect(statusesOf(await inTurn(5, () => ask('GET /api/userinfo')))).toEqual([429, 429, 429, 429, 429]);
    expect(world.portal.trips()).toBe(before);
    expect((await ask('GET /api/nowhere')).status).toBe(404);
    expect((await ask('DELETE /api/userinfo')).status).toBe(405);
    expect((await ask(`GET ${path}`)).status).toBe(429);
    await limit(6_000, 3_000);
  });
});

describe('the rate limit of an address', () => {
  it('counts requests without a valid session, and no other address', async () => {
    await limit(6_000, 3);
    const ip = freshIp();
    const answers = await inTurn(4, from(ip));
    expect(statusesOf(answers)).toEqual([401, 401, 401, 429]);
    expect(answers[3]?.headers.get('ratelimit-policy')).toBe('"address";q=3;w=60');
    expect((await from(freshIp())()).status).toBe(401);
    const guesser = freshIp();
    const guesses = await inTurn(3, from(guesser, 'guessed'));
    const before = world.portal.trips();
    const refused = await from(guesser, 'another')();
    expect([...statusesOf(guesses), refused.status]).toEqual([401, 401, 401, 429]);
    expect(world.portal.trips()).toBe(before);
  });

  it('counts an IPv6 network as one address', async () => {
    await limit(6_000, 2);
    const answers = await Promise.all(['1', '2', 'ff:3'].map((end) => from(`2001:db8::${end}`)()));
    expect(statusesOf(answers).sort()).toEqual([401, 401, 429]);
    expect((await from('2001:db8:0:1::1')()).status).toBe(401);
  });

  it('refuses logins and public pages, but not cached sessions, health checks of load balancers or other probes', async () => {
    const { token, user } = await addMember(world, []);
    await from(freshIp(), token)();
    await limit(6_000, 3);
    const ip = freshIp();
    await inTurn(4, from(ip));
    const { portal } = world;
    expect((await logIn(portal, world.domain, user, {}, ip)).body.code).toBe('rate_limited');
    expect((await portal.send('GET /api/errors/internal', { ip })).status).toBe(429);
    expect(new Set(statusesOf(await inTurn(10, from(ip, token))))).toEqual(new Set([200]));
    expect(new Set(statusesOf(await inTurn(5, () => portal.send('GET /livez', { ip }))))).toEqual(
      new Set([200]),
    );
    expect((await portal.send('GET /api/nowhere', { ip })).status).toBe(404);
    expect((await portal.send('GET /api/userinfo', { ip, secure: false })).body.code).toBe('https_required');
  });

  it('does not count requests of valid sessions, but counts those of an ended one', async () => {
    const members = await Promise.all([1, 2, 3, 4, 5].map(() => addMember(world, [])));
    await limit(6_000, 3);
    const ip = freshIp();
    for (const { token } of members) expect((await from(ip, token)()).status).toBe(200);
    const [ended] = members;
    await world.portal.send('POST /api/auth/v7.0/logout', { token: ended?.token, ip });
    expect((await from(ip, ended?.token)()).status).toBe(401);
    expect(statusesOf(await inTurn(4, from(ip, ended?.token)))).toContain(429);
  });

  it('is disabled by 0', async () => {
    await limit(6_000, 0);
    const answers = await inTurn(30, from(freshIp()));
    expect(new Set(statusesOf(answers))).toEqual(new Set([401]));
  });
});

describe.each([
  'pg',
  'neon',
] as const)('a process with an empty session cache, by the driver %s', (driver) => {
  it('reads the limits with one query for concurrent requests, and again when they are stale', async () => {
    await limit(6_000, 3);
    const { database } = world.portal;
    const other = await startPortal({ driver, database });
    const ask = (ip: string) => other.send('GET /api/userinfo', { ip });
    const before = other.trips();
    await Promise.all(Array.from({ length: 10 }, () => ask('192.0.2.201')));
    await other.settled();
    expect(other.trips() - before).toBe(1);
    expect(statusesOf(await inTurn(4, () => ask('192.0.2.202')))).toEqual([401, 401, 401, 429]);
    await limit(6_000, 2);
    other.advance(5);
    await ask('192.0.2.203');
    await other.settled();
    expect(statusesOf(await inTurn(3, () => ask('192.0.2.204')))).toEqual([401, 401, 429]);
    await other.close();
  });
});
