import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { passwordHistory } from '../../../../db/schema/identity/users.ts';
import {
  addMember,
  adminOf,
  asker,
  audited,
  base,
  goodPassword,
  logIn,
  type Member,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let member: Member;
const admin = adminOf(world);

beforeEach(async () => {
  member = await addMember(world, ['sites.read']);
});

const next = 'another long pass phrase';
const change = (to: string, current = goodPassword) =>
  member.ask('PUT /api/userinfo/password', { current, new: to });

describe('a user who changes their password', () => {
  it('logs in with the new one only, and keeps only the current session', async () => {
    const other = asker(world.portal, (await logIn(world.portal, world.domain, member.user)).body.token);
    expect((await change(next)).status).toBe(204);
    expect((await member.ask('GET /api/userinfo')).status).toBe(200);
    expect((await other('GET /api/userinfo')).status).toBe(401);
    expect((await logIn(world.portal, world.domain, member.user)).status).toBe(401);
    expect((await logIn(world.portal, world.domain, member.user, { password: next })).status).toBe(200);
  });

  it('leaves one audit event, without either password', async () => {
    const { events } = await audited(world.portal, () => change(next));
    expect(events).toMatchObject([
      { action: 'change_password', object_id: member.user.id, result: 'success' },
    ]);
    expect(JSON.stringify([events, world.portal.log])).not.toMatch(new RegExp(`${next}|${goodPassword}`));
  });

  it.each([
    ['too_short', 'fourteen chars'],
    ['too_short', '👍'.repeat(14)],
    ['too_long', 'x y'.repeat(86)],
    ['common', 'MailCreated5240'],
  ])('is refused a password that is %s', async (code, password) => {
    const { status, body } = await change(password);
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: '/new', code })]]);
    expect(JSON.stringify(body)).not.toContain(password);
  });

  it('is refused a password that contains their name, in any case', async () => {
    const { body } = await change(`my ${member.user.name.toUpperCase()} forever`);
    expect(body.errors).toMatchObject([{ code: 'contains_name' }]);
  });

  it('may use spaces, other scripts and up to 256 characters', async () => {
    const long = 'ж'.repeat(256);
    expect((await change('  пароль с пробелами  ')).status).toBe(204);
    expect((await change(long, '  пароль с пробелами  ')).status).toBe(204);
    expect((await logIn(world.portal, world.domain, member.user, { password: long })).status).toBe(200);
  });

  it('has to give the current password, whatever the strength of the new one', async () => {
    const wrong = await audited(world.portal, () => change(next, 'not the present one'));
    expect([wrong.result.status, wrong.result.body.code]).toEqual([401, 'invalid_credentials']);
    expect(wrong.events).toMatchObject([
      { event: 'portal.LoginFailed', action: 'change_password', result: 'failure' },
    ]);
    expect((await member.ask('PUT /api/userinfo/password', { new: next })).body.errors).toMatchObject([
      { pointer: '/current', code: 'required' },
    ]);
    expect((await logIn(world.portal, world.domain, member.user)).status).toBe(200);
  });

  it('succeeds once with two concurrent changes', async () => {
    const answers = await Promise.all([change(`${next} one`), change(`${next} two`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });
});

describe('a user with a mandatory password change', () => {
  beforeEach(async () => {
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    expect((await admin(`PATCH ${one}`, { must_change_password: true })).status).toBe(200);
  });

  it('has access only to their own account, the change and logout', async () => {
    const shownUser = (await logIn(world.portal, world.domain, member.user)).body.user;
    expect(shownUser.must_change_password).toBe(true);
    const closed = [
      `GET ${base}/sites`,
      'GET /api/discover/',
      'GET /api/auth/v7.0/settings',
      `GET ${base}/farms`,
    ];
    const client = 'GET /aggregator/api/client/v7.0/north/servicesList/';
    for (const route of [...closed, client]) {
      const { status, body } = await member.ask(route);
      expect([route, status, body.code]).toEqual([route, 403, 'password_change_required']);
    }
    expect((await member.ask('GET /api/userinfo')).body.must_change_password).toBe(true);
    expect((await member.ask('POST /api/auth/v7.0/logout')).status).toBe(200);
  });

  it('has full access after the change', async () => {
    expect((await change(next)).status).toBe(204);
    expect((await member.ask(`GET ${base}/sites`)).status).toBe(200);
    expect((await member.ask('GET /api/userinfo')).body.must_change_password).toBe(false);
  });
});

describe('a password set by an administrator', () => {
  it('follows the same policy, and is required for a person', async () => {
    const path = usersPath(world.domain);
    const codes = async (body: Record<string, unknown>) =>
      (await admin(`POST ${path}`, body)).body.errors.map((error: Json) => [error.pointer, error.code]);
    expect(await codes({ name: 'ada lovelace', password: 'short' })).toEqual([['/password', 'too_short']]);
    expect(await codes({ name: 'ada lovelace', password: 'ADA LOVELACE 1815' })).toEqual([
      ['/password', 'contains_name'],
    ]);
    expect(await codes({ name: 'ada lovelace' })).toEqual([['/password', 'required']]);
    expect(await codes({ name: 'ada lovelace', kind: 'service', password: next })).toEqual([
      ['/password', 'not_allowed'],
    ]);
  });

  it('is never returned: only null and whether it is set', async () => {
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    expect((await admin(`GET ${one}`)).body).toMatchObject({ password: null, password_set: true });
    const service = (
      await admin(`POST ${usersPath(world.domain)}`, { name: `${member.user.name}-s`, kind: 'service' })
    ).body;
    expect(service).toMatchObject({ password: null, password_set: false });
    const { events } = await audited(world.portal, () => admin(`PATCH ${one}`, { password: next }));
    expect(events[0]?.changes).toEqual([{ field: 'password', before: null, after: '***' }]);
  });

  it('stays when a PUT or PATCH omits it or a PUT has null; a PATCH with null is rejected', async () => {
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    const { body } = await admin(`GET ${one}`);
    await admin(`PUT ${one}`, body);
    await admin(`PATCH ${one}`, { comments: 'x' });
    const refused = await admin(`PATCH ${one}`, { password: null });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ pointer: '/password', code: 'required' }],
    ]);
    const { password: _, ...without } = body;
    expect((await admin(`PUT ${one}`, without)).status).toBe(200);
    expect((await logIn(world.portal, world.domain, member.user)).status).toBe(200);
    expect((await member.ask('GET /api/userinfo')).status).toBe(200);
  });
});

describe('a previous password', () => {
  const phrase = (at: number) => `the phrase of turn number ${at}`;
  const codesOf = ({ status, body }: Json) => [status, body?.errors?.map(({ code }: Json) => code)];
  const refused = [422, ['used_before']];

  it('is refused while it is the current one or one of the last five', async () => {
    expect(codesOf(await change(goodPassword))).toEqual(refused);
    let current = goodPassword;
    for (let at = 1; at <= 6; at++) {
      expect((await change(phrase(at), current)).status).toBe(204);
      current = phrase(at);
    }
    for (const at of [6, 5, 1]) expect(codesOf(await change(phrase(at), current))).toEqual(refused);
    expect((await change(goodPassword, current)).status).toBe(204);
    const rows = await world.portal.db
      .select()
      .from(passwordHistory)
      .where(eq(passwordHistory.user_id, member.user.id));
    expect(rows).toHaveLength(5);
    expect(JSON.stringify(rows)).not.toContain('$');
  }, 60_000);

  it('is refused in a mandatory change as well', async () => {
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { must_change_password: true });
    const { token } = (await logIn(world.portal, world.domain, member.user)).body;
    const ask = asker(world.portal, token);
    const same = { current: goodPassword, new: goodPassword };
    expect(codesOf(await ask('PUT /api/userinfo/password', same))).toEqual(refused);
    expect((await ask('PUT /api/userinfo/password', { ...same, new: next })).status).toBe(204);
  });

  it.each([
    'PATCH',
    'PUT',
  ] as const)('is refused after an administrator replaced it by %s', async (method) => {
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    const { body } = await admin(`GET ${one}`);
    const given = { password: next, must_change_password: true };
    const { status } = await admin(`${method} ${one}`, method === 'PUT' ? { ...body, ...given } : given);
    expect(status).toBe(200);
    const { token } = (await logIn(world.portal, world.domain, member.user, { password: next })).body;
    const own = (to: string) =>
      asker(world.portal, token)('PUT /api/userinfo/password', { current: next, new: to });
    expect(codesOf(await own(goodPassword))).toEqual(refused);
    expect(codesOf(await own(next))).toEqual(refused);
    expect((await own(phrase(1))).status).toBe(204);
  });

  it('is refused after the account was a service account meanwhile', async () => {
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    expect((await admin(`PATCH ${one}`, { kind: 'service' })).status).toBe(200);
    expect((await admin(`PATCH ${one}`, { kind: 'person', password: next })).status).toBe(200);
    const { token } = (await logIn(world.portal, world.domain, member.user, { password: next })).body;
    const back = { current: next, new: goodPassword };
    expect(codesOf(await asker(world.portal, token)('PUT /api/userinfo/password', back))).toEqual(refused);
  });
});
