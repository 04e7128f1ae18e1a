import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { sha256 } from '../../../../shared/kernel/crypto/digests.ts';
import {
  addDomain,
  addGroup,
  addMember,
  addRole,
  addUser,
  adminOf,
  asker,
  audited,
  domainsPath,
  goodPassword,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json, TestPortal } from '../../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
let user: Json;
const admin = adminOf(world);

beforeAll(async () => {
  portal = world.portal;
  user = await addUser(admin, world.domain);
});

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const login = (body: Record<string, unknown>) =>
  portal.send('POST /api/auth/v7.0/login', {
    body: { username: user.name, password: goodPassword, ...body },
  });

/** A problem without the members that differ between any two. */
const shape = ({ instance: _, ...problem }: Json): Json => problem;

describe('a login', () => {
  it('names its domain by id, name or label, in any case, alone or together', async () => {
    const { id, name, small_name } = world.domain;
    const ways = [
      { authId: id },
      { authId: id.toUpperCase() },
      { auth: name },
      { auth: ` ${name.toUpperCase()} ` },
      { authSmallName: small_name },
      { authSmallName: small_name.toUpperCase() },
      { authId: id, auth: name, authSmallName: small_name },
    ];
    for (const way of ways) {
      const { status, body } = await login(way);
      expect([JSON.stringify(way), status]).toEqual([JSON.stringify(way), 200]);
      expect(body).toMatchObject({ result: 'ok', version: '7.0', expires_in: 14_400 });
      expect(body.user).toEqual({
        id: user.id,
        name: user.name,
        real_name: '',
        domain: small_name,
        portal: 'user',
        roles: [],
        must_change_password: false,
      });
    }
  });

  it('is rejected as invalid when its identifiers name two different domains', async () => {
    const other = await addDomain(admin);
    const { id, name } = world.domain;
    const disagreements = [
      { authId: id, auth: other.name },
      { auth: name, authSmallName: other.small_name },
      { authId: id, auth: name, authSmallName: other.small_name },
    ];
    for (const body of disagreements) {
      const answer = await login(body);
      expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
      expect(answer.body.errors).toMatchObject([{ code: 'different_domains' }]);
    }
  });

  it('does not reveal a hidden domain by the other identifiers', async () => {
    const hidden = await addDomain(admin, { state: 'hidden' });
    const user = await addUser(admin, hidden);
    const outcomeOf = async (given: object) => {
      const { status, body } = await logIn(world.portal, hidden, user, { authId: undefined, ...given });
      return [status, { ...body, instance: '' }];
    };
    const unknown = await outcomeOf({ authSmallName: 'nowhere', auth: 'nowhere either' });
    expect(unknown).toMatchObject([401, { code: 'invalid_credentials' }]);
    expect(await outcomeOf({ authSmallName: hidden.small_name, auth: 'nowhere' })).toEqual(unknown);
    expect(await outcomeOf({ authId: unknownId, authSmallName: hidden.small_name })).toEqual(unknown);
    expect(await outcomeOf({ authId: hidden.id, auth: 'nowhere' })).toEqual(unknown);
    expect((await outcomeOf({ authSmallName: hidden.small_name, auth: hidden.name }))[0]).toBe(200);
  });

  it('is rejected as invalid without a domain, a name or a password, and with unknown properties', async () => {
    const { id } = world.domain;
    const bad = [
      [{}, ''],
      [{ authId: id, username: '' }, '/username'],
      [{ authId: id, password: '' }, '/password'],
      [{ authId: id, password: undefined }, '/password'],
      [{ authId: id, password: 'x'.repeat(1025) }, '/password'],
      [{ authId: id, portal: 'root' }, '/portal'],
      [{ authId: id, roles: ['administrator'] }, '/roles'],
      [{ authId: { $ne: null } }, '/authId'],
    ] as const;
    for (const [body, pointer] of bad) {
      const answer = await login(body);
      expect([pointer, answer.status]).toEqual([pointer, 422]);
      expect(answer.body.errors.map((error: Json) => error.pointer)).toContain(pointer);
      expect(JSON.stringify(answer.body)).not.toContain(goodPassword);
    }
  });

  it('is refused with the same error for every cause', async () => {
    const [hidden, disabled] = [await addDomain(admin), await addDomain(admin)];
    const [inactive, ofDisabled] = [
      await addUser(admin, world.domain, { state: 'inactive' }),
      await addUser(admin, disabled),
    ];
    const service = await addUser(admin, world.domain, { kind: 'service', password: null });
    await admin(`PATCH ${domainsPath}/${disabled.id}`, { state: 'disabled' });
    const authId = world.domain.id;
    const answers = await Promise.all([
      login({ authId, password: 'wrong' }),
      login({ authId, username: unique('nobody') }),
      login({ authId, username: inactive.name }),
      login({ authId, username: service.name }),
      login({ authId: disabled.id, username: ofDisabled.name }),
      login({ authId: hidden.id }),
      login({ authId: unknownId }),
      login({ authId: 'no-uuid' }),
      login({ auth: 'nowhere' }),
      login({ authSmallName: 'nowhere' }),
    ]);
    const expected = shape(answers[0]?.body);
    expect(expected).toMatchObject({ status: 401, code: 'invalid_credentials', retryable: false });
    for (const { status, body, headers } of answers) {
      expect([status, shape(body)]).toEqual([401, expected]);
      expect(headers.get('www-authenticate')).toBe('Token realm="aggregator"');
      expect(body.instance).toBe(headers.get('x-request-id'));
    }
  });

  it('finds names without regard to case, and passwords in any Unicode form', async () => {
    const name = unique('Зоя é').normalize('NFC');
    const password = 'очень длинный пароль é';
    await addUser(admin, world.domain, { name, password: password.normalize('NFD') });
    const authId = world.domain.id;
    for (const username of [name, name.toUpperCase(), name.normalize('NFD').toLowerCase(), ` ${name} `])
      expect((await login({ authId, username, password: password.normalize('NFC') })).status).toBe(200);
    expect((await login({ authId, username: name, password: password.toUpperCase() })).status).toBe(401);
  });

  it('works for a hidden domain, which is not listed', async () => {
    const domain = await addDomain(admin, { state: 'hidden' });
    const someone = await addUser(admin, domain);
    expect((await logIn(portal, domain, someone)).status).toBe(200);
    const { body } = await portal.send('GET /api/auth/v7.0/authenticators');
    const labels = body.map(({ authSmallName }: Json) => authSmallName);
    expect(labels).toContain(world.domain.small_name);
    expect(labels).not.toContain(domain.small_name);
  });

  it('stores only the hash of its token, and does not log it', async () => {
    const { token } = (await logIn(portal, world.domain, user)).body;
    expect(token).toMatch(/^[\w-]{43}$/);
    const rows = await portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
    expect(rows.map((row) => row.token_hash)).toContain(sha256(token));
    expect(JSON.stringify(rows)).not.toContain(token);
    await portal.settled();
    expect(JSON.stringify(portal.log)).not.toContain(token);
  });

  it('returns a new token each time', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => logIn(portal, world.domain, user)));
    expect(new Set(answers.map(({ body }) => body.token)).size).toBe(8);
  });

  it('leaves one audit event, as do a failure and a logout, none of them with a password', async () => {
    const secret = 'a wrong pass phrase';
    const { result, events } = await audited(portal, async () => {
      await login({ authId: world.domain.id, password: secret });
      const { body } = await login({ authId: world.domain.id, platform: 'test stand' });
      await asker(portal, body.token)('POST /api/auth/v7.0/logout');
      return body.token;
    });
    const who = {
      user_name: user.name,
      user_id: user.id,
      domain: world.domain.small_name,
      source_ip: '127.0.0.1',
    };
    expect(events).toMatchObject([
      { ...who, event: 'portal.LoginFailed', category: 'auth', result: 'failure' },
      {
        ...who,
        event: 'portal.UserLogin',
        category: 'auth',
        result: 'success',
        details: { platform: 'test stand', factor: 'password' },
      },
      { ...who, event: 'portal.UserLogout', category: 'auth', result: 'success', portal: 'user' },
    ]);
    expect(events).toHaveLength(3);
    const written = JSON.stringify([events, portal.log]);
    for (const hidden of [secret, goodPassword, result]) expect(written).not.toContain(hidden);
  });

  it('cannot forge a line of the audit with control characters in the name', async () => {
    const username = `ada\r\n2026 portal.UserLogin \u001b[31m`;
    const { events } = await audited(portal, () => login({ authId: world.domain.id, username }));
    expect(events[0]?.user_name).toBe('ada\\u000d\\u000a2026 portal.UserLogin \\u001b[31m');
  });
});

describe('the portal of a login', () => {
  it('is admin for users with a role, unless user is requested, which has no permissions', async () => {
    const { user: staff } = await addMember(world, ['sites.read']);
    const asAdmin = (await logIn(portal, world.domain, staff)).body;
    expect(asAdmin.user.portal).toBe('admin');
    expect((await asker(portal, asAdmin.token)('GET /api/webui/aggregator/sites')).status).toBe(200);
    const asUser = (await logIn(portal, world.domain, staff, { portal: 'user' })).body;
    expect(asUser.user.portal).toBe('user');
    expect((await asker(portal, asUser.token)('GET /api/webui/aggregator/sites')).status).toBe(403);
  });

  it('admin is refused to users without a role, only after a right password', async () => {
    const right = await logIn(portal, world.domain, user, { portal: 'admin' });
    expect([right.status, right.body.code]).toEqual([403, 'forbidden']);
    const wrong = await logIn(portal, world.domain, user, { portal: 'admin', password: 'wrong' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials']);
  });

  it('is refused by staff domains to users, and by user domains to staff', async () => {
    const [forStaff, forUsers] = [
      await addDomain(admin, { subjects: 'staff' }),
      await addDomain(admin, { subjects: 'users' }),
    ];
    const role = await addRole(admin, ['sites.read']);
    const statusOf = async (domain: Json, roles: string[]) =>
      (await logIn(portal, domain, await addUser(admin, domain, { roles }))).status;
    expect(await statusOf(forStaff, [role.id])).toBe(200);
    expect(await statusOf(forStaff, [])).toBe(403);
    expect(await statusOf(forUsers, [])).toBe(200);
    expect(await statusOf(forUsers, [role.id])).toBe(403);
  });
});

describe('a signed-in user', () => {
  it('reads their own roles, permissions, groups, sites and session end', async () => {
    const group = await addGroup(admin, world.domain);
    const {
      ask,
      user: staff,
      role,
    } = await addMember(world, ['sites.read', 'farms.read'], '*', {
      groups: [group.id],
      email: 'staff@example.com',
    });
    const { status, body } = await ask('GET /api/userinfo');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: staff.id,
      email: 'staff@example.com',
      domain: { uuid: world.domain.id, small_name: world.domain.small_name },
      portal: 'admin',
      roles: [{ id: role.id, name: role.name }],
      permissions: ['farms.read', 'sites.read'],
      scope: { sites: '*' },
      groups: [{ id: group.id, name: group.name }],
      sites: [],
      ip: '127.0.0.1',
    });
    const { created_at, expires_at, idle_expires_at } = body.session;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(14_400_000);
    expect(Date.parse(idle_expires_at)).toBeLessThanOrEqual(Date.parse(expires_at));
    expect(body.last_login_at).toBe(
      (await admin(`GET ${usersPath(world.domain)}/${staff.id}`)).body.last_login_at,
    );
  });

  it('reads the modules and the settings, which need a session', async () => {
    const ask = asker(portal, (await logIn(portal, world.domain, user)).body.token);
    expect((await ask('GET /api/discover/')).body.modules.map(({ name }: Json) => name)).toContain('client');
    expect((await ask('GET /api/auth/v7.0/settings')).body).toMatchObject({
      password_policy: { min_length: 15 },
    });
    for (const path of ['/api/discover/', '/api/auth/v7.0/settings', '/api/userinfo']) {
      const { status, body } = await portal.send(`GET ${path}`);
      expect([path, status, body.code]).toEqual([path, 401, 'unauthenticated']);
    }
  });
});
