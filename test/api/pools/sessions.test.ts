import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import {
  addDomain,
  addMember,
  addRole,
  addUser,
  adminOf,
  asker,
  base,
  create,
  domainsPath,
  goodPassword,
  logIn,
  type Member,
  startWorld,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
const admin = adminOf(world);

beforeAll(async () => {
  portal = world.portal;
});
beforeEach(async () => {
  // Moving the clock expires sessions.
  world.admin = asker(portal, await portal.login());
});

const statusOf = async ({ ask }: Pick<Member, 'ask'>) => (await ask('GET /api/userinfo')).status;
const set = (name: string, value: number) =>
  portal.db.insert(systemParameters).values({ name, value, updated_at: new Date() });

describe('a session', () => {
  it('ends once and at once by logout', async () => {
    const member = await addMember(world, []);
    expect(await statusOf(member)).toBe(200);
    expect((await member.ask('POST /api/auth/v7.0/logout')).body).toEqual({ result: 'ok' });
    expect(await statusOf(member)).toBe(401);
    const again = await member.ask('POST /api/auth/v7.0/logout');
    expect([again.status, again.body.code]).toEqual([401, 'invalid_token']);
    const rows = await portal.db
      .select()
      .from(loginSessions)
      .where(eq(loginSessions.user_id, member.user.id));
    expect(rows).toEqual([]);
  });

  it('ends when it was idle for too long, and stays valid while it is used', async () => {
    const member = await addMember(world, []);
    for (let n = 0; n < 4; n++) {
      portal.advance(1_700);
      expect(await statusOf(member)).toBe(200);
      await portal.settled();
    }
    portal.advance(1_801);
    expect(await statusOf(member)).toBe(401);
  });

  it('ends at its absolute age however much it is used, for users and for administrators', async () => {
    await set('session.admin_absolute_s', 3_000);
    await set('session.user_absolute_s', 2_000);
    const [user, staff] = [await addMember(world, []), await addMember(world, ['sites.read'])];
    const statuses = async () => [await statusOf(user), await statusOf(staff)];
    portal.advance(1_500);
    expect(await statuses()).toEqual([200, 200]);
    await portal.settled();
    portal.advance(501);
    expect(await statuses()).toEqual([401, 200]);
    await portal.settled();
    portal.advance(1_000);
    expect(await statuses()).toEqual([401, 401]);
    await portal.db.delete(systemParameters);
  });

  it('ends the oldest one when the user has too many', async () => {
    await set('session.max_per_user', 2);
    const user = await addUser(admin, world.domain);
    const open = async () => {
      portal.advance(1);
      return { ask: asker(portal, (await logIn(portal, world.domain, user)).body.token) };
    };
    const [first, second, third] = [await open(), await open(), await open()];
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
    await portal.db.delete(systemParameters);
  });

  it('is limited in number also for concurrent logins', async () => {
    await set('session.max_per_user', 2);
    const user = await addUser(admin, world.domain);
    await Promise.all(Array.from({ length: 8 }, () => logIn(portal, world.domain, user)));
    await logIn(portal, world.domain, user);
    const rows = await portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
    expect(rows).toHaveLength(2);
    await portal.db.delete(systemParameters);
  });

  it('has its last use updated once a minute at most', async () => {
    const member = await addMember(world, []);
    const seen = async () => {
      await statusOf(member);
      await portal.settled();
      const [row] = await portal.db
        .select()
        .from(loginSessions)
        .where(eq(loginSessions.user_id, member.user.id));
      return row?.last_seen_at.getTime() ?? 0;
    };
    const start = await seen();
    portal.advance(30);
    expect(await seen()).toBe(start);
    portal.advance(40);
    expect(await seen()).toBeGreaterThan(start + 60_000);
  });
});

describe('a session ends at the next request', () => {
  let domain: Json;
  let member: Member;
  beforeEach(async () => {
    domain = await addDomain(admin);
    member = await addMember({ ...world, domain }, ['sites.read']);
    expect(await statusOf(member)).toBe(200);
  });
  const one = () => `${usersPath(domain)}/${member.user.id}`;

  it('when the user is made inactive', async () => {
    expect((await admin(`PATCH ${one()}`, { state: 'inactive' })).status).toBe(200);
    expect(await statusOf(member)).toBe(401);
  });

  it('when the user is deleted in either way', async () => {
    expect((await admin(`DELETE ${one()}`)).status).toBe(204);
    expect(await statusOf(member)).toBe(401);
    const other = await addMember({ ...world, domain }, []);
    await admin(`POST ${usersPath(domain)}/bulk_destroy`, { all: true });
    expect(await statusOf(other)).toBe(401);
  });

  it('when the domain is disabled, and not when it is hidden', async () => {
    await admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'hidden' });
    expect(await statusOf(member)).toBe(200);
    await admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' });
    expect(await statusOf(member)).toBe(401);
  });

  it('when the domain is deleted', async () => {
    expect((await admin(`DELETE ${domainsPath}/${domain.id}`)).status).toBe(204);
    expect(await statusOf(member)).toBe(401);
  });

  it('when an administrator sets the password', async () => {
    expect((await admin(`PATCH ${one()}`, { password: 'another long pass phrase' })).status).toBe(200);
    expect(await statusOf(member)).toBe(401);
    expect((await logIn(portal, domain, member.user)).status).toBe(401);
  });

  it('when the user becomes a service account', async () => {
    expect((await admin(`PATCH ${one()}`, { kind: 'service' })).status).toBe(200);
    expect(await statusOf(member)).toBe(401);
  });
});

describe('the permissions of a session change at the next request', () => {
  const sites = async ({ ask }: Member) => (await ask(`GET ${base}/sites`)).status;

  it('when a role is removed, assigned or edited', async () => {
    const member = await addMember(world, ['sites.read']);
    const one = `${usersPath(world.domain)}/${member.user.id}`;
    expect(await sites(member)).toBe(200);
    await admin(`PATCH ${one}`, { roles: [] });
    expect(await sites(member)).toBe(403);
    await admin(`PATCH ${one}`, { roles: [member.role.id] });
    expect(await sites(member)).toBe(200);
    await admin(`PATCH ${base}/rbac/${member.role.id}`, { permissions: ['farms.read'] });
    expect(await sites(member)).toBe(403);
    await admin(`PATCH ${base}/rbac/${member.role.id}`, {
      permissions: ['sites.read'],
      scope: { sites: [] },
    });
    expect((await member.ask(`GET ${base}/sites`)).body.items).toEqual([]);
  });

  it('and a session of the user portal gets none by a later role', async () => {
    const member = await addMember(world, []);
    const role = await addRole(admin, ['sites.read']);
    await admin(`PATCH ${usersPath(world.domain)}/${member.user.id}`, { roles: [role.id] });
    expect(await sites(member)).toBe(403);
  });
});

describe('a portal for', () => {
  it('administrators has no client module and admits users with a role only', async () => {
    const one = await startWorld({ portalType: 'admin' });
    const [user, staff] = [await addUser(one.admin, one.domain), await addMember(one, ['sites.read'])];
    expect((await logIn(one.portal, one.domain, user)).status).toBe(403);
    expect((await logIn(one.portal, one.domain, staff.user, { portal: 'user' })).status).toBe(403);
    expect((await one.admin('GET /aggregator/api/client/v7.0/north/servicesList/')).status).toBe(404);
    const { body } = await staff.ask('GET /api/discover/');
    expect(body.portal_type).toBe('admin');
    expect(body.modules.map(({ name }: Json) => name)).not.toContain('client');
    const hidden = await create(one.admin, domainsPath, {
      name: 'Users',
      small_name: 'users',
      type: 'internal',
      subjects: 'users',
    });
    const domains = (await one.portal.send('GET /api/auth/v7.0/authenticators')).body;
    expect(domains.map(({ authUuid }: Json) => authUuid)).not.toContain(hidden.id);
    await one.portal.close();
  });

  it('users has no administration and no administrative permissions', async () => {
    const one = await startPortal({ portalType: 'user' });
    const { body } = await one.send('POST /api/auth/v7.0/login', {
      body: { username: 'admin', password: 'correct horse battery staple', authSmallName: 'builtin' },
    });
    expect(body.user.portal).toBe('user');
    const ask = asker(one, body.token);
    expect((await ask(`GET ${base}/sites`)).status).toBe(404);
    expect((await ask('GET /api/userinfo')).body.permissions).toEqual([]);
    expect((await ask('POST /api/auth/v7.0/jwtauth', { dispatcher_id: body.user.id })).status).toBe(403);
    const refused = await one.send('POST /api/auth/v7.0/login', {
      body: { username: 'admin', password: goodPassword, authSmallName: 'builtin', portal: 'admin' },
    });
    expect(refused.status).toBe(401);
    await one.close();
  });
});
