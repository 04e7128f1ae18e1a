import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recoveryCodes, secondFactors } from '../../../../db/schema/identity/second-factors.ts';
import {
  addUser,
  adminOf,
  asker,
  audited,
  base,
  domainsPath,
  goodPassword,
  logIn,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
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
let clock: ReturnType<typeof holdClock>;
const admin = adminOf(world);
const ask2fa = (user: Json, given?: object, ip?: string) => logIn2fa(world.portal, domain, user, given, ip);
const secondOf = (user: Json) =>
  world.portal.db.select().from(secondFactors).where(eq(secondFactors.user_id, user.id));

beforeAll(async () => {
  clock = holdClock(world.portal);
  domain = await addTwoFactorDomain(admin);
});

const refused = [401, 'invalid_credentials'];

describe('a user without a device', () => {
  let user: Json;
  beforeEach(async () => {
    user = await addUser(admin, domain);
  });

  it('gets a challenge with a secret, and with the first code a session and ten recovery codes', async () => {
    const { status, body } = await ask2fa(user);
    expect([status, body]).toEqual([
      200,
      {
        result: 'challenge',
        challenge_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        method: 'totp',
        methods: ['totp', 'passkey'],
        expires_in: 300,
        enrolment: {
          otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\//),
          secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        },
      },
    ]);
    const uri = new URL(body.enrolment.otpauth_uri);
    expect(uri.searchParams.get('secret')).toBe(body.enrolment.secret);
    expect(decodeURIComponent(uri.pathname)).toBe(`/Aggregator portal:${domain.small_name}/${user.name}`);
    const done = await enrol(world.portal, domain, user, body, clock.now());
    expect([done.status, done.body.result, done.body.user.id]).toEqual([200, 'ok', user.id]);
    expect(new Set(done.body.recovery_codes).size).toBe(10);
    const me = await asker(world.portal, done.body.token)('GET /api/userinfo');
    expect([me.status, me.body.id]).toEqual([200, user.id]);
  });

  it('has no device until a right code arrives, however many challenges are issued', async () => {
    const challenges = [(await ask2fa(user)).body, (await ask2fa(user)).body];
    const secrets = challenges.map(({ enrolment }) => enrolment.secret);
    expect(new Set(secrets).size).toBe(2);
    const [first, second] = challenges;
    const wrong = wrongCode(first.enrolment.secret, clock.now());
    expect(said(await ask2fa(user, { challenge_id: first.challenge_id, code: wrong }))).toEqual(refused);
    expect(await secondOf(user)).toEqual([]);
    expect((await admin(`GET ${usersPath(domain)}/${user.id}`)).body.two_factor_enrolled).toBe(false);
    expect((await enrol(world.portal, domain, user, second, clock.now())).status).toBe(200);
    expect((await admin(`GET ${usersPath(domain)}/${user.id}`)).body.two_factor_enrolled).toBe(true);
  });

  it('cannot finish an enrolment with the code of another, nor without its id', async () => {
    const [first, second] = [(await ask2fa(user)).body, (await ask2fa(user)).body];
    const code = codeOf(first.enrolment.secret, clock.now());
    expect(said(await ask2fa(user, { challenge_id: second.challenge_id, code }))).toEqual(refused);
    expect(said(await ask2fa(user, { code }))).toEqual(refused);
    expect(await secondOf(user)).toEqual([]);
  });

  it('cannot continue an older enrolment after another was finished', async () => {
    const [first, second] = [(await ask2fa(user)).body, (await ask2fa(user)).body];
    expect((await enrol(world.portal, domain, user, second, clock.now())).status).toBe(200);
    clock.move(30);
    expect(said(await enrol(world.portal, domain, user, first, clock.now()))).toEqual(refused);
    const code = codeOf(second.enrolment.secret, clock.now());
    expect((await ask2fa(user, { code })).status).toBe(200);
  });

  it('leaves one event of the enrolment and one of the login; neither event nor log has a secret', async () => {
    const { body } = await ask2fa(user);
    const { result, events } = await audited(world.portal, () =>
      enrol(world.portal, domain, user, body, clock.now()),
    );
    expect(events.map(({ event, action }) => [event, action]).sort()).toEqual([
      ['portal.EntityAction', 'enrol_two_factor'],
      ['portal.UserLogin', null],
    ]);
    for (const event of events) expect(event).toMatchObject({ user_id: user.id, user_name: user.name });
    const recorded = JSON.stringify([events, world.portal.log]);
    for (const secret of [body.enrolment.secret, goodPassword, ...result.body.recovery_codes])
      expect(recorded).not.toContain(secret);
  });

  it('has only sealed or hashed secrets in the database', async () => {
    const { body } = await ask2fa(user);
    const { body: done } = await enrol(world.portal, domain, user, body, clock.now());
    const [factor] = await secondOf(user);
    const codes = await world.portal.db
      .select()
      .from(recoveryCodes)
      .where(eq(recoveryCodes.user_id, user.id));
    expect(codes).toHaveLength(10);
    const stored = JSON.stringify([factor, codes]);
    for (const secret of [body.enrolment.secret, ...done.recovery_codes])
      expect(stored).not.toContain(secret);
    const place = { table: 'second_factors', row: user.id, column: 'sealed_secret' };
    expect(await world.portal.deps.sealer.open(factor?.sealed_secret ?? '', place)).toBe(
      body.enrolment.secret,
    );
  });
});

describe('a user with a device', () => {
  let one: Enrolled;
  const code = () => codeOf(one.secret, clock.now());
  beforeEach(async () => {
    one = await addEnrolled(world, domain, clock.now());
    clock.move(30);
  });

  it('answers the challenge with a code in any isolate, or sends the code with the login', async () => {
    const { body } = await ask2fa(one.user);
    expect(body).toEqual({
      result: 'challenge',
      challenge_id: expect.any(String),
      method: 'totp',
      methods: ['totp'],
      expires_in: 300,
    });
    const elsewhere = await world.portal.isolate()('POST /api/auth/v7.0/login/2fa', {
      body: {
        username: one.user.name,
        password: goodPassword,
        auth: domain.name,
        challenge_id: body.challenge_id,
        code: code(),
        portal: 'user',
      },
    });
    expect([elsewhere.status, elsewhere.body.result]).toEqual([200, 'ok']);
    expect(elsewhere.body).not.toHaveProperty('recovery_codes');
    clock.move(30);
    const spaced = `${code().slice(0, 3)} ${code().slice(3)}`;
    expect((await ask2fa(one.user, { code: spaced })).status).toBe(200);
  });

  it('is refused a login without a code after a right password, and gets the reason only then', async () => {
    const { result, events } = await audited(world.portal, () => logIn(world.portal, domain, one.user));
    expect([...said(result), result.body.token]).toEqual([403, 'two_factor_required', undefined]);
    expect(events).toEqual([]);
    const wrong = { password: 'a wrong guess' };
    expect(said(await logIn(world.portal, domain, one.user, wrong))).toEqual(refused);
    expect(said(await ask2fa(one.user, wrong))).toEqual(refused);
    expect(said(await ask2fa(one.user, { ...wrong, code: code() }))).toEqual(refused);
    expect(said(await ask2fa({ name: 'nobody' }))).toEqual(refused);
  });

  it('cannot call any operation with the content of a challenge', async () => {
    const { challenge_id } = (await ask2fa(one.user)).body;
    for (const route of ['GET /api/userinfo', `GET ${base}/sites`, 'POST /api/auth/v7.0/logout'])
      expect(said(await asker(world.portal, challenge_id)(route))).toEqual([401, 'invalid_token']);
  });

  it('is asked for the code where the domain does not require one, and users without a device are not', async () => {
    const plain = await addUser(admin, world.domain);
    const { status, body } = await logIn2fa(world.portal, world.domain, plain, { code: 'any' });
    expect([status, body.result]).toEqual([200, 'ok']);
    await admin(`PATCH ${domainsPath}/${domain.id}`, { two_factor: false });
    expect(said(await logIn(world.portal, domain, one.user))).toEqual([403, 'two_factor_required']);
    expect((await ask2fa(one.user)).body.result).toBe('challenge');
    await admin(`PATCH ${domainsPath}/${domain.id}`, { two_factor: true });
    expect((await ask2fa(one.user)).body.result).toBe('challenge');
  });

  it('gets the same error for a wrong code and a wrong password', async () => {
    const wrong = await ask2fa(one.user, { code: wrongCode(one.secret, clock.now()) });
    const guess = await ask2fa(one.user, { password: 'a wrong guess' });
    const shape = ({ instance: _, ...problem }: Json): Json => problem;
    expect([wrong.status, shape(wrong.body)]).toEqual([guess.status, shape(guess.body)]);
  });

  it('and a mandatory password change needs the code first, and may then only change the password', async () => {
    await admin(`PATCH ${usersPath(domain)}/${one.user.id}`, { must_change_password: true });
    expect(said(await logIn(world.portal, domain, one.user))).toEqual([403, 'two_factor_required']);
    const { body } = await ask2fa(one.user, { code: code() });
    expect(body.user.must_change_password).toBe(true);
    const me = asker(world.portal, body.token);
    expect(said(await me(`GET ${base}/sites`))).toEqual([403, 'password_change_required']);
    const change = { current: goodPassword, new: 'eight brass bells ring' };
    expect((await me('PUT /api/userinfo/password', change)).status).toBe(204);
    clock.move(30);
    const again = { password: change.new, code: code() };
    expect((await ask2fa(one.user, again)).body.user.must_change_password).toBe(false);
  });

  it('has one event of a login by code, and the last login is that of the session, not of the challenge', async () => {
    const seen = async () => (await admin(`GET ${usersPath(domain)}/${one.user.id}`)).body.last_login_at;
    const before = await seen();
    const { body } = await ask2fa(one.user);
    expect(await seen()).toBe(before);
    const given = { challenge_id: body.challenge_id, code: code() };
    const { events } = await audited(world.portal, () => ask2fa(one.user, given));
    expect(events).toMatchObject([{ event: 'portal.UserLogin', user_id: one.user.id, result: 'success' }]);
    expect(await seen()).toBe(clock.now().toISOString());
  });
});
