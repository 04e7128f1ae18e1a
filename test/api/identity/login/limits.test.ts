import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settleRefusals } from '../../../../db/repositories/audit/refusals.ts';
import { isObsoleteLock } from '../../../../db/repositories/identity/login/limits.ts';
import { deleteExpired } from '../../../../db/repositories/settings/clean-up.ts';
import { loginLocks } from '../../../../db/schema/identity/login-locks.ts';
import { monitoringRecords } from '../../../../db/schema/monitoring/records.ts';
import { systemParameters } from '../../../../db/schema/settings/system-parameters.ts';
import { addUser, asker, audited, logIn, unique, usersPath, useWorld } from '../../../support/factories.ts';
import type { Answer, Json, TestPortal } from '../../../support/portal.ts';

const dayS = 86_400;
const world = useWorld();
let portal: TestPortal;
let hosts = 0;

beforeAll(async () => {
  portal = world.portal;
});
beforeEach(() => later(61));
afterEach(async () => {
  await portal.db.delete(systemParameters);
});

/** Moving the clock expires sessions. */
async function later(seconds: number): Promise<void> {
  portal.advance(seconds);
  world.admin = asker(portal, await portal.login());
}
async function limit(limits: Record<string, number>): Promise<void> {
  const values = Object.entries(limits).map(([name, value]) => ({ name: `lockout.${name}`, value }));
  await portal.db.insert(systemParameters).values(values.map((one) => ({ ...one, updated_at: new Date() })));
}
const newUser = () => addUser((...parts) => world.admin(...parts), world.domain);
/** An unused address. */
const freshIp = (): string => `198.18.${Math.floor(++hosts / 250)}.${1 + (hosts % 250)}`;
const guess = (name: string, ip: string): Promise<Answer> =>
  logIn(portal, world.domain, { name }, { password: 'a wrong guess' }, ip);
const right = (user: Json, ip: string): Promise<Answer> => logIn(portal, world.domain, user, {}, ip);
const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);
const count = (answers: readonly Answer[], status: number): number =>
  statusesOf(answers).filter((one) => one === status).length;

/** Sequentially, so that the hashes fit in the queue. */
async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const item of items) answers.push(await work(item));
  return answers;
}
const times = (n: number): number[] => Array.from({ length: n }, (_, at) => at);

function expectLocked({ status, body, headers }: Answer | undefined = {} as Answer, seconds: number): void {
  expect([status, body.code]).toEqual([429, 'locked_out']);
  const wait = Number(headers.get('retry-after'));
  expect(wait > seconds - 20 && wait <= seconds, `${wait} of ${seconds} s`).toBe(true);
}

describe('an address', () => {
  it('that guesses 200 names is throttled after 50 failures a minute, and no other address is', async () => {
    const ip = freshIp();
    const answers = await inTurn(times(200), (at) => guess(unique(`name${at}`), ip));
    expect(statusesOf(answers)).toEqual([...Array(50).fill(401), ...Array(150).fill(429)]);
    expectLocked(answers.at(-1), 60);
    const user = await newUser();
    expectLocked(await right(user, ip), 60);
    expect((await right(user, freshIp())).status).toBe(200);
    await later(61);
    expect((await right(user, ip)).status).toBe(200);
    expect((await guess(unique('name'), ip)).status).toBe(401);
  });

  it('of an office with 200 users is not locked by one attacker in it', async () => {
    const office = freshIp();
    const users: Json[] = [];
    while (users.length < 200) users.push(...(await Promise.all(times(10).map(newUser))));
    expect(count(await inTurn(users, (user) => right(user, office)), 200)).toBe(200);
    await later(3 * 3600);
    const attack = await inTurn(times(60), (at) => guess(unique(`name${at}`), office));
    expect([count(attack, 401), count(attack, 429)]).toEqual([50, 10]);
    // A known user may mistype the password as well.
    const [first, ...others] = users;
    expect((await guess(first.name, office)).status).toBe(401);
    expect(count(await inTurn(users, (user) => right(user, office)), 200)).toBe(200);
    // Guesses at one of them lock that one only.
    expect(statusesOf(await inTurn(times(6), () => guess(first.name, office))).slice(4)).toEqual([401, 429]);
    expectLocked(await right(first, office), 300);
    expect(count(await inTurn(others.slice(0, 20), (user) => right(user, office)), 200)).toBe(20);
  }, 180_000);

  it('is the /64 network of IPv6, and an IPv4 address in any notation', async () => {
    await limit({ ip_per_minute: 4 });
    const ips = [
      ['2001:db8:7:7::1', '2001:db8:7:7:ffff::2', '2001:db8:7:7:1:2:3:4'],
      ['203.0.113.77', '::ffff:203.0.113.77', '::ffff:cb00:714d'],
    ];
    for (const same of ips) {
      const answers = await inTurn(times(6), (at) => guess(unique('name'), same[at % 3] ?? ''));
      expect(statusesOf(answers)).toEqual([401, 401, 401, 401, 429, 429]);
    }
    expect((await guess(unique('name'), '2001:db8:7:8::1')).status).toBe(401);
  });

  it('admits exactly as many concurrent guesses as the limit allows', async () => {
    await limit({ ip_per_minute: 5 });
    const [ip, user] = [freshIp(), await newUser()];
    const { result, events } = await audited(portal, () =>
      Promise.all([...times(17).map(() => guess(unique('name'), ip)), right(user, ip)]),
    );
    expect(count(result, 401)).toBe(5);
    expect(count(result, 200) + count(result, 429)).toBe(13);
    expect(events.filter(({ event }) => event === 'portal.UserLogin')).toHaveLength(count(result, 200));
    expectLocked(await guess(unique('name'), ip), 60);
  });

  it('is audited in its refusals by one event at once and one for the rest, without user names', async () => {
    await limit({ ip_per_minute: 3 });
    const ip = freshIp();
    const { events } = await audited(portal, async () => {
      await inTurn(times(40), () => guess(unique('name'), ip));
      await settleRefusals(portal.db, new Date(Date.now() + 3650 * dayS * 1000));
    });
    const ours = events.filter(({ source_ip }) => source_ip === ip);
    const refused = ours.filter(({ details }) => details.code === 'locked_out');
    expect(ours.length - refused.length).toBe(3);
    expect(refused.length).toBeLessThanOrEqual(4);
    expect(refused.reduce((sum, event) => sum + event.count, 0)).toBe(37);
    expect(refused[0]).toMatchObject({
      user_name: null,
      source_ip: ip,
      details: { limit: 'address', factor: 'password' },
    });
    const rows = await portal.db.select().from(loginLocks);
    expect(rows.filter(({ account, network }) => network === ip && account !== '*')).toHaveLength(3);
  });
});

describe('an account', () => {
  const locked = async (user: Json) =>
    (await world.admin(`GET ${usersPath(world.domain)}/${user.id}`)).body.locked_until;

  it('with 50 failures an hour from many networks is locked for networks it is not known in', async () => {
    const [user, home] = [await newUser(), freshIp()];
    expect((await right(user, home)).status).toBe(200);
    const { result, events } = await audited(portal, () =>
      inTurn(times(51), () => guess(user.name, freshIp())),
    );
    expect(statusesOf(result)).toEqual([...Array(50).fill(401), 429]);
    const locks = events.filter(({ event }) => event === 'portal.UserLocked');
    expect(locks).toMatchObject([
      {
        ...{ user_id: user.id, details: { network: '*', factor: 'password' } },
        message: 'Locked for networks without a recent successful login',
      },
    ]);
    expectLocked(await right(user, freshIp()), 3600);
    expect((await right(user, home)).status).toBe(200);
    // A failure in the known network counts there, and the fifth locks there as usual.
    expect(statusesOf(await inTurn(times(6), () => guess(user.name, home)))).toEqual([
      ...Array(5).fill(401),
      429,
    ]);
    await later(3601);
    expect((await right(user, freshIp())).status).toBe(200);
  });

  it('that does not exist is locked in the same way', async () => {
    await limit({ account_per_hour: 6 });
    const name = unique('nobody');
    const answers = await inTurn(times(8), () => guess(name, freshIp()));
    expect(statusesOf(answers)).toEqual([...Array(6).fill(401), 429, 429]);
    expectLocked(answers[7], 3600);
  });

  it('shows this lock to administrators, who can remove it', async () => {
    await limit({ account_per_hour: 6 });
    const user = await newUser();
    await inTurn(times(6), () => guess(user.name, freshIp()));
    const until = Date.parse(await locked(user)) - Date.now();
    expect(until).toBeGreaterThan(3600_000);
    const one = `${usersPath(world.domain)}/${user.id}`;
    const { result, events } = await audited(portal, () =>
      world.admin(`PATCH ${one}`, { locked_until: null }),
    );
    expect([result.status, result.body.locked_until, events.length]).toEqual([200, null, 1]);
    expect((await right(user, freshIp())).status).toBe(200);
    expect(statusesOf(await inTurn(times(7), () => guess(user.name, freshIp())))).toEqual([
      ...Array(6).fill(401),
      429,
    ]);
  });

  it('is known in a network for 30 days after a successful login', async () => {
    await limit({ account_per_hour: 6 });
    const [user, home] = [await newUser(), freshIp()];
    expect((await right(user, home)).status).toBe(200);
    await later(29 * dayS);
    await inTurn(times(6), () => guess(user.name, freshIp()));
    expectLocked(await right(user, freshIp()), 3600);
    expect((await right(user, home)).status).toBe(200);
    await later(31 * dayS);
    await inTurn(times(6), () => guess(user.name, freshIp()));
    expectLocked(await right(user, home), 3600);
  });

  it('evaluates as many concurrent guesses as the limit allows, and locks once', async () => {
    await limit({ account_per_hour: 7 });
    const user = await newUser();
    const { result, events } = await audited(portal, () =>
      Promise.all([...times(17).map(() => guess(user.name, freshIp())), right(user, freshIp())]),
    );
    expect(count(result, 401)).toBe(7);
    expect(count(result, 200) + count(result, 429)).toBe(11);
    expect(events.filter(({ event }) => event === 'portal.UserLocked')).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'portal.UserLogin')).toHaveLength(count(result, 200));
    expectLocked(await right(user, freshIp()), 3600);
  });

  it('admits no right password that was being verified when the lock began, except from a known network', async () => {
    await limit({ account_per_hour: 6 });
    const { hasher } = portal.deps;
    const { verify } = hasher;
    const [user, home] = [await newUser(), freshIp()];
    expect((await right(user, home)).status).toBe(200);
    const rightWhileGuessed = (ip: string): Promise<Answer> => {
      hasher.verify = async (...given) => {
        hasher.verify = verify;
        const isRight = await verify(...given);
        expect(count(await inTurn(times(6), () => guess(user.name, freshIp())), 401)).toBe(6);
        return isRight;
      };
      return right(user, ip).finally(() => Object.assign(hasher, { verify }));
    };
    expect((await rightWhileGuessed(home)).status).toBe(200);
    await later(3601);
    const stranger = await rightWhileGuessed(freshIp());
    expect([stranger.status, stranger.body.code]).toEqual([429, 'locked_out']);
  });

  it('is unlocked by an administrator during guesses and logins without a deadlock', async () => {
    await limit({ account_per_hour: 1000 });
    const user = await newUser();
    const homes = times(3).map(freshIp);
    const one = `${usersPath(world.domain)}/${user.id}`;
    for (let round = 0; round < 4; round++) {
      await inTurn(times(5), () => guess(user.name, '203.0.113.200'));
      const answers = await Promise.all([
        world.admin(`PATCH ${one}`, { locked_until: null }),
        ...homes.flatMap((home) => [right(user, home), guess(user.name, home)]),
      ]);
      expect(
        answers.filter(({ status }) => ![200, 401, 429].includes(status)).map(({ body }) => body),
      ).toEqual([]);
      await world.admin(`PATCH ${one}`, { locked_until: null });
    }
  });
});

describe('all failed logins together', () => {
  it('beyond 500 a minute refuse accounts in unknown networks, with one entry in the monitoring journal', async () => {
    await limit({ overall_per_minute: 12 });
    const [user, home] = [await newUser(), freshIp()];
    expect((await right(user, home)).status).toBe(200);
    const answers = await inTurn(times(20), () => guess(unique('name'), freshIp()));
    expect(statusesOf(answers)).toEqual([...Array(12).fill(401), ...Array(8).fill(429)]);
    expectLocked(await right(user, freshIp()), 60);
    expect((await right(user, home)).status).toBe(200);
    const records = await portal.db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.code, 'login_failures'));
    expect(records).toMatchObject([
      { level: 'warning', source: 'portal', state: 'open', details: { limit: 12 } },
    ]);
    await later(61);
    expect((await right(user, freshIp())).status).toBe(200);
  });
});

describe('expired counter rows', () => {
  it('are deleted, and no others', async () => {
    const { db, deps } = portal;
    const clean = (most?: number) =>
      deleteExpired(
        db,
        { table: loginLocks, where: isObsoleteLock(deps.clock()) },
        new AbortController().signal,
        most,
      );
    const networksOf = async ({ id }: Json) => {
      const rows = await db
        .select()
        .from(loginLocks)
        .where(eq(loginLocks.account, `${world.domain.id}/${id}`));
      return rows.map(({ network }) => network).sort();
    };
    await later(31 * dayS);
    while ((await clean(20)) > 0) expect(await db.$count(loginLocks)).toBeGreaterThan(0);
    const [known, guessed] = [freshIp(), freshIp()].sort() as [string, string];
    const user = await newUser();
    const key = { id: user.name.toLowerCase() };
    expect((await right(user, known)).status).toBe(200);
    await inTurn(times(5), () => guess(user.name, guessed));
    expect(await clean()).toBe(0);
    expect(await networksOf(key)).toEqual(['*', known, guessed]);
    await later(7_201);
    // The counters of the pair, the account, the address and the total.
    expect(await clean()).toBe(4);
    expect(await networksOf(key)).toEqual([known]);
    expect((await right(user, known)).status).toBe(200);
    await later(31 * dayS);
    await clean();
    expect(await networksOf(key)).toEqual([]);
  });
});
