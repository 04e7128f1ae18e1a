import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loginChallenges } from '../../../../db/schema/identity/login-challenges.ts';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { secondFactors } from '../../../../db/schema/identity/second-factors.ts';
import { systemParameters } from '../../../../db/schema/settings/system-parameters.ts';
import { addUser, audited, logIn, useWorld } from '../../../support/factories.ts';
import {
  addEnrolled,
  addTwoFactorDomain,
  type Enrolled,
  enrol,
  holdClock,
  logIn2fa,
  said,
} from '../../../support/identity/second-factor.ts';
import { codeOf, wrongCode } from '../../../support/identity/totp-device.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let domain: Json;
let one: Enrolled;
let clock: ReturnType<typeof holdClock>;
const ask2fa = (given?: object, ip?: string, user = one.user) =>
  logIn2fa(world.portal, domain, user, given, ip);
const challenge = async (ip?: string): Promise<string> => (await ask2fa({}, ip)).body.challenge_id;
const code = (seconds = 0) => codeOf(one.secret, new Date(clock.now().getTime() + seconds * 1000));
const wrong = () => wrongCode(one.secret, clock.now());
const sessionsOf = (user: Json) =>
  world.portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();
const allowing = async (maxTries: number) => {
  const row = { name: 'lockout.max_tries', value: maxTries, updated_at: new Date() };
  await world.portal.db.insert(systemParameters).values(row);
};

beforeAll(async () => {
  clock = holdClock(world.portal);
  domain = await addTwoFactorDomain(world.admin);
});
beforeEach(async () => {
  await world.portal.db.delete(systemParameters);
  one = await addEnrolled(world, domain, clock.now());
  clock.move(30);
});

const refused = [401, 'invalid_credentials'];
const atOnce = 8;

describe('a code of the second factor', () => {
  it('that finished an enrolment is not accepted for a login', async () => {
    clock.move(-30);
    expect(said(await ask2fa({ code: code() }))).toEqual(refused);
  });

  it('works once: neither the same challenge nor another one accepts it again', async () => {
    const [first, second] = [await challenge(), await challenge()];
    expect((await ask2fa({ challenge_id: first, code: code() })).status).toBe(200);
    expect(said(await ask2fa({ challenge_id: first, code: code() }))).toEqual(refused);
    expect(said(await ask2fa({ challenge_id: second, code: code() }))).toEqual(refused);
    expect(said(await ask2fa({ code: code() }))).toEqual(refused);
    clock.move(30);
    expect((await ask2fa({ challenge_id: second, code: code() })).status).toBe(200);
  });

  it('is accepted for adjacent time steps only, and earlier steps are then used up', async () => {
    clock.move(60);
    expect(said(await ask2fa({ code: code(-60) }))).toEqual(refused);
    expect(said(await ask2fa({ code: code(60) }))).toEqual(refused);
    expect((await ask2fa({ code: code(-30) })).status).toBe(200);
    expect((await ask2fa({ code: code(30) })).status).toBe(200);
    expect(said(await ask2fa({ code: code() }))).toEqual(refused);
  });

  it('has to wait for its time step again when the clock is set back', async () => {
    expect((await ask2fa({ code: code() })).status).toBe(200);
    clock.move(-3_600);
    expect(said(await ask2fa({ code: code() }))).toEqual(refused);
    clock.move(3_630);
    expect((await ask2fa({ code: code() })).status).toBe(200);
  });

  it('creates exactly one session in concurrent logins', async () => {
    await allowing(100);
    const before = (await sessionsOf(one.user)).length;
    const challenges = [];
    for (let n = 0; n < atOnce; n++) challenges.push(await challenge());
    const answers = await Promise.all(
      challenges.map((id, at) => ask2fa({ code: code(), ...(at % 2 && { challenge_id: id }) })),
    );
    expect(statuses(answers)).toEqual([200, ...Array(atOnce - 1).fill(401)]);
    expect(await sessionsOf(one.user)).toHaveLength(before + 1);
  });

  it('creates no session when the device is removed meanwhile', async () => {
    const { sealer } = world.portal.deps;
    const { open } = sealer;
    sealer.open = async (...given) => {
      sealer.open = open;
      await world.portal.db.delete(secondFactors).where(eq(secondFactors.user_id, one.user.id));
      return open(...given);
    };
    expect(said(await ask2fa({ code: code() }))).toEqual(refused);
  });
});

describe('a recovery code', () => {
  it('works once in place of a code of the device, and leaves an event without it', async () => {
    const [recovery = '', next = ''] = one.recovery;
    const given = { challenge_id: await challenge(), code: recovery.toLowerCase() };
    const { result, events } = await audited(world.portal, () => ask2fa(given));
    expect(result.status).toBe(200);
    const actions = events.map(({ event, action, user_id }) => [event, action, user_id]).sort();
    expect(actions).toEqual([
      ['portal.EntityAction', 'use_recovery_code', one.user.id],
      ['portal.UserLogin', null, one.user.id],
    ]);
    expect(JSON.stringify([events, world.portal.log])).not.toContain(recovery);
    expect(said(await ask2fa({ code: recovery }))).toEqual(refused);
    expect((await ask2fa({ code: next })).status).toBe(200);
    expect((await ask2fa({ code: code() })).status).toBe(200);
  });

  it('creates exactly one session in concurrent logins', async () => {
    await allowing(100);
    const answers = await Promise.all(
      Array.from({ length: atOnce }, () => ask2fa({ code: one.recovery[0] })),
    );
    expect(statuses(answers)).toEqual([200, ...Array(atOnce - 1).fill(401)]);
  });

  it('does not work for another user', async () => {
    const other = await addEnrolled(world, domain, clock.now());
    expect(said(await ask2fa({ code: other.recovery[0] }))).toEqual(refused);
  });
});

describe('a challenge of the second factor', () => {
  it('is answered once, only by the same user, address and login name', async () => {
    const other = await addEnrolled(world, domain, clock.now());
    clock.move(30);
    const id = await challenge('203.0.113.7');
    const given = () => ({ challenge_id: id, code: code() });
    expect(said(await ask2fa(given(), '203.0.113.8'))).toEqual(refused);
    const theirs = { challenge_id: id, code: codeOf(other.secret, clock.now()) };
    expect(said(await ask2fa(theirs, '203.0.113.7', other.user))).toEqual(refused);
    for (const unknown of ['', 'x', "' or 1=1 --", '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11'])
      expect(said(await ask2fa({ challenge_id: unknown, code: code() }, '203.0.113.9'))).toEqual(refused);
    expect((await ask2fa(given(), '203.0.113.7')).status).toBe(200);
    clock.move(30);
    expect(said(await ask2fa(given(), '203.0.113.7'))).toEqual(refused);
  });

  it('of an enrolment is answered once as well, also by concurrent attempts', async () => {
    await allowing(100);
    const user = await addUser(world.admin, domain);
    const [first, second] = [
      (await ask2fa({}, undefined, user)).body,
      (await ask2fa({}, undefined, user)).body,
    ];
    const answers = await Promise.all(
      [first, second, first, second].map((body) => enrol(world.portal, domain, user, body, clock.now())),
    );
    expect(statuses(answers)).toEqual([200, 401, 401, 401]);
    expect(await sessionsOf(user)).toHaveLength(1);
  });

  it('expires after 300 seconds, and the next challenge deletes it', async () => {
    const [first, second] = [await challenge(), await challenge()];
    clock.move(299);
    expect((await ask2fa({ challenge_id: first, code: code() })).status).toBe(200);
    clock.move(31);
    expect(said(await ask2fa({ challenge_id: second, code: code() }))).toEqual(refused);
    const last = await challenge();
    const rows = await world.portal.db
      .select({ id: loginChallenges.id })
      .from(loginChallenges)
      .where(eq(loginChallenges.user_id, one.user.id));
    expect(rows).toEqual([{ id: last }]);
  });

  it('is one of ten at most: the oldest are deleted', async () => {
    const ids = [];
    for (let n = 0; n < 12; n++) {
      clock.move(1);
      ids.push(await challenge());
    }
    expect(said(await ask2fa({ challenge_id: ids[1], code: code() }))).toEqual(refused);
    expect((await ask2fa({ challenge_id: ids[2], code: code() })).status).toBe(200);
  });

  it('is deleted by the fifth wrong code, whatever the lock-out allows; other challenges stay', async () => {
    await allowing(100);
    const [killed, spared] = [await challenge(), await challenge()];
    for (let n = 0; n < 4; n++) await ask2fa({ challenge_id: spared, code: wrong() });
    for (let n = 0; n < 5; n++)
      expect(said(await ask2fa({ challenge_id: killed, code: wrong() }))).toEqual(refused);
    expect(said(await ask2fa({ challenge_id: killed, code: code() }))).toEqual(refused);
    expect((await ask2fa({ challenge_id: spared, code: code() })).status).toBe(200);
  });

  it('counts concurrent wrong codes', async () => {
    await allowing(100);
    const id = await challenge();
    await Promise.all(Array.from({ length: 5 }, () => ask2fa({ challenge_id: id, code: wrong() })));
    expect(said(await ask2fa({ challenge_id: id, code: code() }))).toEqual(refused);
  });
});

describe('wrong codes of the second factor', () => {
  it('lock the account for the network, also for right codes and passwords', async () => {
    const id = await challenge();
    const { events } = await audited(world.portal, async () => {
      for (let n = 0; n < 5; n++)
        expect(said(await ask2fa({ challenge_id: id, code: wrong() }))).toEqual(refused);
    });
    const locked = [429, 'locked_out'];
    expect(said(await ask2fa({ challenge_id: id, code: code() }))).toEqual(locked);
    expect(said(await ask2fa())).toEqual(locked);
    expect(said(await logIn(world.portal, domain, one.user))).toEqual(locked);
    expect((await ask2fa({ code: code() }, '203.0.113.20')).status).toBe(200);
    const names = events.map(({ event }) => event).sort();
    expect(names).toEqual([...Array(5).fill('portal.LoginFailed'), 'portal.UserLocked']);
    const failures = events.filter(({ event }) => event === 'portal.LoginFailed');
    for (const { details } of failures) expect(details).toMatchObject({ factor: 'totp' });
    expect(JSON.stringify(events)).not.toContain(wrong());
  });

  it('count together with wrong passwords, and a challenge does not reset the count', async () => {
    for (let n = 0; n < 2; n++) await ask2fa({ password: 'a wrong guess' });
    const id = await challenge();
    for (let n = 0; n < 3; n++) await ask2fa({ challenge_id: id, code: wrong() });
    expect(said(await ask2fa({ code: code() }))).toEqual([429, 'locked_out']);
  });

  it('without a challenge count as well, and a right code resets the count', async () => {
    for (let n = 0; n < 4; n++) expect(said(await ask2fa({ code: wrong() }))).toEqual(refused);
    expect((await ask2fa({ code: code() })).status).toBe(200);
    clock.move(30);
    for (let n = 0; n < 4; n++) expect(said(await ask2fa({ code: wrong() }))).toEqual(refused);
    expect((await ask2fa({ code: code() })).status).toBe(200);
  });

  it('are evaluated five at most when many are concurrent', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask2fa({ code: wrong() })));
    expect(statuses(answers)).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
  });
});
