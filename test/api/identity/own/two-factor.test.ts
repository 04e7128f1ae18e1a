import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addUser,
  adminOf,
  asker,
  audited,
  goodPassword,
  logIn,
  type Member,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { addTwoFactorDomain, holdClock, logIn2fa, said } from '../../../support/identity/second-factor.ts';
import { codeOf, wrongCode } from '../../../support/identity/totp-device.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let domain: Json;
let me: Pick<Member, 'ask' | 'user'>;
let clock: ReturnType<typeof holdClock>;
const admin = adminOf(world);
const path = '/api/userinfo/two_factor';
const begin = async (ask = me.ask) => (await ask(`POST ${path}`, { password: goodPassword })).body;
const code = (secret: string) => codeOf(secret, clock.now());
const finish = (secret: string, ask = me.ask) => ask(`POST ${path}`, { code: code(secret) });
const refused = [401, 'invalid_credentials'];
const reason = ({ status, body }: { status: number; body: Json }) => [status, body.code, body.reason];

beforeAll(async () => {
  clock = holdClock(world.portal);
});
beforeEach(async () => {
  domain = await addTwoFactorDomain(admin, { two_factor: false });
  const user = await addUser(admin, domain);
  me = { user, ask: asker(world.portal, (await logIn(world.portal, domain, user)).body.token) };
});

describe('a signed-in user', () => {
  it('enrols a device with the password and its first code, and needs its codes when the domain requires it', async () => {
    const first = await me.ask(`POST ${path}`, { password: goodPassword });
    expect([first.status, Object.keys(first.body).sort()]).toEqual([200, ['otpauth_uri', 'secret']]);
    const { secret } = first.body;
    const { result, events } = await audited(world.portal, () => finish(secret));
    expect([result.status, result.body.recovery_codes.length]).toEqual([200, 10]);
    expect(events).toMatchObject([{ action: 'enrol_two_factor', object_id: me.user.id, category: 'auth' }]);
    expect(JSON.stringify([events, world.portal.log])).not.toContain(secret);
    await admin(`PATCH /api/webui/aggregator/authenticators/${domain.id}`, { two_factor: true });
    const challenge = await logIn2fa(world.portal, domain, me.user);
    expect(challenge.body).not.toHaveProperty('enrolment');
    clock.move(30);
    expect((await logIn2fa(world.portal, domain, me.user, { code: code(secret) })).status).toBe(200);
  });

  it('has a device only after its first code; a new start creates another secret', async () => {
    const [former, secret] = [(await begin()).secret, (await begin()).secret];
    expect(secret).not.toBe(former);
    expect(said(await finish(former))).toEqual(refused);
    expect((await admin(`GET ${usersPath(domain)}/${me.user.id}`)).body.two_factor_enrolled).toBe(false);
    expect((await finish(secret)).status).toBe(200);
    expect((await admin(`GET ${usersPath(domain)}/${me.user.id}`)).body.two_factor_enrolled).toBe(true);
  });

  it('cannot finish an enrolment of another session, of a login, or an expired one', async () => {
    const { secret } = await begin();
    const other = asker(world.portal, (await logIn(world.portal, domain, me.user)).body.token);
    expect(reason(await finish(secret, other))).toEqual([409, 'invalid_state', 'no_enrolment']);
    const { items } = (await me.ask('GET /api/userinfo/sessions')).body;
    await admin(`PATCH /api/webui/aggregator/authenticators/${domain.id}`, { two_factor: true });
    for (const { id } of items) {
      const given = { challenge_id: id, code: code(secret) };
      expect(said(await logIn2fa(world.portal, domain, me.user, given))).toEqual(refused);
    }
    clock.move(301);
    expect(reason(await finish(secret))).toEqual([409, 'invalid_state', 'no_enrolment']);
  });

  it('cannot finish an enrolment that was not started, nor enrol a second device', async () => {
    expect(reason(await me.ask(`POST ${path}`, { code: '123456' }))).toEqual([
      409,
      'invalid_state',
      'no_enrolment',
    ]);
    const { secret } = await begin();
    await finish(secret);
    clock.move(30);
    const again = await me.ask(`POST ${path}`, { password: goodPassword });
    expect(reason(again)).toEqual([409, 'invalid_state', 'enrolled']);
    expect(reason(await finish(secret))).toEqual([409, 'invalid_state', 'enrolled']);
  });

  it('proves their identity by the password or by a code only', async () => {
    for (const body of [
      {},
      { password: '' },
      { code: '' },
      { password: goodPassword, code: '1' },
      { code: 123456 },
    ])
      expect((await me.ask(`POST ${path}`, body)).status).toBe(422);
    for (const body of [{}, { password: goodPassword }, { code: '1' }])
      expect((await me.ask(`DELETE ${path}`, body)).status).toBe(422);
  });

  it('gets the secrets once: a repeated request with the same key states only that they exist', async () => {
    const key = { 'idempotency-key': 'enrolment' };
    const body = { password: goodPassword };
    const { secret } = (await me.ask(`POST ${path}`, body, key)).body;
    const replay = (await me.ask(`POST ${path}`, body, key)).body;
    expect(replay).toEqual({ secret: null, secret_set: true, otpauth_uri: null, otpauth_uri_set: true });
    const finishing = { 'idempotency-key': 'finishing' };
    const given = { code: code(secret) };
    expect((await me.ask(`POST ${path}`, given, finishing)).body.recovery_codes).toHaveLength(10);
    const again = await me.ask(`POST ${path}`, given, finishing);
    expect([again.status, again.body]).toEqual([200, { recovery_codes: null, recovery_codes_set: true }]);
  });

  it('with a mandatory password change may still enrol a device', async () => {
    await admin(`PATCH ${usersPath(domain)}/${me.user.id}`, { must_change_password: true });
    expect((await finish((await begin()).secret)).status).toBe(200);
  });
});

describe('a device of the second factor', () => {
  let secret: string;
  let recovery: string[];
  beforeEach(async () => {
    secret = (await begin()).secret;
    recovery = (await finish(secret)).body.recovery_codes;
    clock.move(30);
  });
  const remove = (given: object) => me.ask(`DELETE ${path}`, { password: goodPassword, ...given });

  it('is removed with the password and a code, together with its recovery codes, and with one event', async () => {
    expect(said(await remove({ password: 'a wrong guess', code: code(secret) }))).toEqual(refused);
    expect(said(await remove({ code: wrongCode(secret, clock.now()) }))).toEqual(refused);
    const { result, events } = await audited(world.portal, () => remove({ code: code(secret) }));
    expect(result.status).toBe(204);
    expect(events).toMatchObject([{ action: 'remove_two_factor', object_id: me.user.id }]);
    expect((await admin(`GET ${usersPath(domain)}/${me.user.id}`)).body.two_factor_enrolled).toBe(false);
    expect(reason(await remove({ code: recovery[0] }))).toEqual([409, 'invalid_state', 'not_enrolled']);
    await admin(`PATCH /api/webui/aggregator/authenticators/${domain.id}`, { two_factor: true });
    const { body } = await logIn2fa(world.portal, domain, me.user);
    expect(body.enrolment.secret).not.toBe(secret);
  });

  it('that is lost is removed with a recovery code', async () => {
    const { result, events } = await audited(world.portal, () => remove({ code: recovery[3] }));
    expect(result.status).toBe(204);
    expect(events.map(({ action }) => action).sort()).toEqual(['remove_two_factor', 'use_recovery_code']);
  });

  it('is not removed with a used code', async () => {
    await admin(`PATCH /api/webui/aggregator/authenticators/${domain.id}`, { two_factor: true });
    expect((await logIn2fa(world.portal, domain, me.user, { code: code(secret) })).status).toBe(200);
    expect(said(await remove({ code: code(secret) }))).toEqual(refused);
  });
});

describe('guesses in a stolen session', () => {
  it('at the password and at codes lock the account, also for the right ones', async () => {
    const { secret } = await begin();
    for (let n = 0; n < 2; n++)
      expect(said(await me.ask(`POST ${path}`, { password: 'a wrong guess' }))).toEqual(refused);
    for (let n = 0; n < 3; n++)
      expect(said(await me.ask(`POST ${path}`, { code: wrongCode(secret, clock.now()) }))).toEqual(refused);
    const locked = [429, 'locked_out'];
    expect(said(await finish(secret))).toEqual(locked);
    expect(said(await me.ask(`POST ${path}`, { password: goodPassword }))).toEqual(locked);
    expect(said(await me.ask(`DELETE ${path}`, { password: goodPassword, code: '1' }))).toEqual(locked);
    expect(said(await logIn(world.portal, domain, me.user))).toEqual(locked);
  });
});
