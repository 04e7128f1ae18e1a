import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { installationCounts } from '../../../db/repositories/monitoring/installation-counts.ts';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { serviceTokens } from '../../../db/schema/identity/service-tokens.ts';
import {
  type Ask,
  addDomain,
  addMember,
  addRole,
  addSite,
  addUser,
  adminOf,
  asker,
  audited,
  base,
  create,
  goodPassword,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import {
  addServiceToken,
  addServiceUser,
  secondsFrom,
  serviceTokenBody,
  serviceTokensPath,
} from '../../support/identity/service-tokens.ts';
import { type Answer, type Json, startPortal, type TestPortal } from '../../support/portal.ts';

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

const day = 86_400;
const inSeconds = (seconds: number) => secondsFrom(portal.deps.clock(), seconds);
const tokenBody = (given: object = {}) => serviceTokenBody(portal, given);
const tokensPath = (user: Json, domain: Json = world.domain) => serviceTokensPath(domain, user);
const addService = (permissions: readonly string[], given: object = {}, domain: Json = world.domain) =>
  addServiceUser({ admin, domain }, permissions, given);
const addToken = (user: Json, given: object = {}, domain: Json = world.domain) =>
  addServiceToken({ portal, admin, domain }, user, given);
const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.code, body.reason].filter((part) => part !== undefined);
};
const statusOf = async (ask: Ask) => (await ask('GET /api/userinfo')).status;

describe('a service token', () => {
  it('is returned once, listed without its secret and stored as a hash', async () => {
    const { user } = await addService(['sites.read']);
    const sent = tokenBody({ permissions: ['users.read', 'sites.read', 'sites.read'] });
    const { result, events } = await audited(portal, () => admin(`POST ${tokensPath(user)}`, sent));
    expect(result.status).toBe(201);
    const { token, ...shown } = result.body;
    expect(token).toMatch(/^agst_[\w-]{43}$/);
    expect(shown).toEqual({
      ...sent,
      id: shown.id,
      permissions: ['sites.read', 'users.read'],
      created_at: shown.created_at,
      last_seen_at: null,
      own: false,
    });
    expect(result.headers.get('location')).toBe(`${tokensPath(user)}/${shown.id}`);
    expect((await admin(`GET ${tokensPath(user)}`)).body).toEqual({ items: [shown], next: null });
    expect(events).toMatchObject([
      {
        event: 'portal.EntityAction',
        action: 'create',
        object_type: 'service_token',
        object_name: sent.name,
      },
    ]);
    const stored = JSON.stringify([await portal.db.select().from(serviceTokens), events]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(token.slice(5));
  });

  it('supports paging, search, sorting and totals in its list', async () => {
    const { user } = await addService([]);
    for (const name of ['alpha', 'beta', 'gamma']) await addToken(user, { name });
    const list = async (query: string) => (await admin(`GET ${tokensPath(user)}?${query}`)).body;
    const names = (body: Json) => body.items.map(({ name }: Json) => name);
    const first = await list('limit=2&count=exact&sort=-name');
    expect([names(first), first.total]).toEqual([['gamma', 'beta'], 3]);
    expect(names(await list(`limit=2&count=exact&sort=-name&cursor=${first.next}`))).toEqual(['alpha']);
    expect(names(await list('search=ET'))).toEqual(['beta']);
  });

  it.each([
    ['an end that lies behind', () => ({ expires_at: inSeconds(-1) }), '/expires_at'],
    ['an end in more than 366 days', () => ({ expires_at: inSeconds(366 * day + 60) }), '/expires_at'],
    ['an end that is no moment', () => ({ expires_at: 'tomorrow' }), '/expires_at'],
    ['no end', () => ({ expires_at: undefined }), '/expires_at'],
    ['no permissions', () => ({ permissions: undefined }), '/permissions'],
    ['a permission that there is not', () => ({ permissions: ['sites.paint'] }), '/permissions/0'],
    ['no name', () => ({ name: ' ' }), '/name'],
  ])('needs more than %s', async (_, given, pointer) => {
    const { user } = await addService([]);
    const { status, body } = await admin(`POST ${tokensPath(user)}`, tokenBody(given()));
    expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  });

  it('accepts any time offset, 366 days, and permissions that its user does not have yet', async () => {
    const { user } = await addService([]);
    const end = new Date(portal.deps.clock().getTime() + day * 1000);
    const local = new Date(end.getTime() + 3 * 3_600_000).toISOString().replace('Z', '+03:00');
    const { made } = await addToken(user, { expires_at: local, permissions: ['farms.delete'] });
    expect([made.expires_at, made.permissions]).toEqual([end.toISOString(), ['farms.delete']]);
    await addToken(user, { expires_at: inSeconds(366 * day - 60), permissions: [] });
  });

  it('has a unique name among the tokens of its user', async () => {
    const [one, other] = [(await addService([])).user, (await addService([])).user];
    const { made } = await addToken(one, { name: 'Nightly' });
    const twin = await admin(`POST ${tokensPath(one)}`, tokenBody({ name: 'NIGHTLY ' }));
    expect([twin.status, twin.body.code, twin.body.existing_id]).toEqual([409, 'already_exists', made.id]);
    await addToken(other, { name: 'Nightly' });
  });

  it('is for service accounts only, which have no password and cannot log in', async () => {
    const person = await addUser(admin, world.domain);
    expect(await codeOf(admin(`POST ${tokensPath(person)}`, tokenBody()))).toEqual([
      409,
      'invalid_state',
      'no_service',
    ]);
    const { user } = await addService([]);
    expect((await logIn(portal, world.domain, user)).status).toBe(401);
    const refused = await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { password: goodPassword });
    expect(refused.status).toBe(422);
  });

  it('is found only under its own user and domain', async () => {
    const { user } = await addService([]);
    const { made } = await addToken(user);
    const [other, elsewhere] = [(await addService([])).user, await addDomain(admin)];
    for (const path of [tokensPath(user, elsewhere), tokensPath({ id: made.id })]) {
      expect((await admin(`GET ${path}`)).status).toBe(404);
      expect((await admin(`POST ${path}`, tokenBody())).status).toBe(404);
      expect((await admin(`DELETE ${path}/${made.id}`)).status).toBe(404);
    }
    expect((await admin(`DELETE ${tokensPath(other)}/${made.id}`)).status).toBe(404);
    expect((await admin(`DELETE ${tokensPath(user)}/${made.id}`)).status).toBe(204);
  });

  it('is created and revoked only by a caller with all permissions of its user', async () => {
    const { user } = await addService(['sites.read', 'farms.delete']);
    const { made } = await addToken(user);
    const { ask } = await addMember(world, ['users.read', 'users.update', 'sites.read']);
    for (const refused of [
      await ask(`POST ${tokensPath(user)}`, tokenBody({ permissions: [] })),
      await ask(`DELETE ${tokensPath(user)}/${made.id}`),
    ])
      expect([refused.status, refused.body.missing]).toEqual([403, ['farms.delete']]);
    const { user: harmless } = await addService(['sites.read']);
    expect((await ask(`POST ${tokensPath(harmless)}`, tokenBody())).status).toBe(201);
    expect((await ask(`GET ${tokensPath(user)}`)).body.items).toHaveLength(1);
  });

  it('cannot be created with permissions that its creator does not have', async () => {
    const { user } = await addService(['users.read']);
    const { ask } = await addMember(world, ['users.read', 'users.update', 'sites.read']);
    const make = (permissions: string[]) => ask(`POST ${tokensPath(user)}`, tokenBody({ permissions }));
    const refused = await make(['users.read', 'farms.delete', 'audit.read']);
    expect([refused.status, refused.body.code, refused.body.missing]).toEqual([
      403,
      'forbidden',
      ['audit.read', 'farms.delete'],
    ]);
    expect((await admin(`GET ${tokensPath(user)}`)).body.items).toEqual([]);
    expect((await make(['sites.read', 'users.read'])).status).toBe(201);
  });

  it('is created in three database round trips, listed in one and used in one', async () => {
    const { user } = await addService([]);
    const trips = async (work: () => Promise<Answer>) => {
      await portal.settled();
      const before = portal.trips();
      const answer = await work();
      await portal.settled();
      return { answer, trips: portal.trips() - before };
    };
    const made = await trips(() => admin(`POST ${tokensPath(user)}`, tokenBody()));
    expect([made.answer.status, made.trips]).toEqual([201, 3]);
    expect((await trips(() => admin(`GET ${tokensPath(user)}`))).trips).toBe(1);
    const ask = asker(portal, made.answer.body.token);
    await ask('GET /api/userinfo');
    // The session lookup, and no statement before the refusal.
    expect((await trips(() => ask('PATCH /api/userinfo', { language: 'xx' }))).trips).toBe(1);
    expect((await trips(() => admin(`DELETE ${tokensPath(user)}/${made.answer.body.id}`))).trips).toBe(2);
  });
});

describe('the caller with a service token', () => {
  it('has the current intersection of the permissions of the token and of its user', async () => {
    const { user, role } = await addService(['sites.read', 'sites.create', 'farms.read']);
    const { ask } = await addToken(user, { permissions: ['sites.read', 'sites.create', 'users.read'] });
    const own = async () => (await ask('GET /api/userinfo')).body;
    expect(await own()).toMatchObject({ portal: 'admin', permissions: ['sites.read', 'sites.create'] });
    expect(await codeOf(ask(`GET ${base}/farms`))).toEqual([403, 'forbidden']);
    await create(ask, `${base}/sites`, { name: unique('site'), uri: unique('site') });
    const other = await addSite(admin);
    await admin(`PATCH ${base}/rbac/${role?.id}`, {
      permissions: ['sites.read', 'farms.read'],
      scope: { sites: [world.site.id] },
    });
    expect(await own()).toMatchObject({ permissions: ['sites.read'], scope: { sites: [world.site.id] } });
    expect((await ask(`GET ${base}/sites/${world.site.id}`)).status).toBe(200);
    expect((await ask(`GET ${base}/sites/${other.id}`)).status).toBe(404);
    expect(await codeOf(ask(`POST ${base}/sites`, { name: 'x', uri: 'x' }))).toEqual([403, 'forbidden']);
    await admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { roles: [] });
    expect(await own()).toMatchObject({ portal: 'user', permissions: [], roles: [] });
  });

  it('is limited by the scope of its creator and by the scope of its user, whatever its user gets later', async () => {
    const [near, far] = [world.site, await addSite(admin)];
    const narrow = await addRole(admin, ['sites.read'], { scope: { sites: [near.id] } });
    const maker = await addMember(world, ['users.read', 'users.update']);
    const makersRoles = [maker.role.id, narrow.id];
    await admin(`PATCH ${usersPath(world.domain)}/${maker.user.id}`, { roles: makersRoles });
    const { user } = await addService([]);
    const body = tokenBody({ permissions: ['sites.read', 'users.read'] });
    const { token } = await create(maker.ask, tokensPath(user), body);
    const give = (role: Json) => admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { roles: [role.id] });
    const ask = asker(portal, token);
    const seen = async () => [
      (await ask(`GET ${base}/sites/${near.id}`)).status,
      (await ask(`GET ${base}/sites/${far.id}`)).status,
      (await ask(`GET ${usersPath(world.domain)}`)).status,
    ];
    await give(await addRole(admin, ['sites.read', 'users.read']));
    expect(await seen()).toEqual([200, 404, 200]);
    await give(await addRole(admin, ['sites.read', 'users.read'], { scope: { sites: [far.id] } }));
    expect(await seen()).toEqual([403, 403, 200]);
  });

  it('has no permissions and no sites by a token without permissions', async () => {
    const { user } = await addService(['sites.read']);
    const { ask } = await addToken(user, { permissions: [] });
    expect((await ask('GET /api/userinfo')).body).toMatchObject({ permissions: [], scope: { sites: [] } });
    expect((await ask('GET /api/discover/')).body.sites).toEqual([]);
    expect(await codeOf(ask(`GET ${base}/sites`))).toEqual([403, 'forbidden']);
  });

  it('cannot grant more than that, and cannot create tokens for itself', async () => {
    const all = ['users.read', 'users.update', 'users.create', 'sites.read', 'sites.delete'];
    const { user } = await addService(all);
    const { ask } = await addToken(user, { permissions: all.slice(0, 4) });
    const role = await addRole(admin, ['sites.delete']);
    const greedy = await ask(`POST ${usersPath(world.domain)}`, {
      name: unique('user'),
      password: goodPassword,
      roles: [role.id],
    });
    expect([greedy.status, greedy.body.missing]).toEqual([403, ['sites.delete']]);
    expect(await codeOf(ask(`POST ${tokensPath(user)}`, tokenBody()))).toEqual([
      409,
      'invalid_state',
      'own_account',
    ]);
  });

  it('is identified in the audit by the token', async () => {
    const { user } = await addService(['sites.create']);
    const { ask, made } = await addToken(user, { permissions: ['sites.create'] });
    const { events } = await audited(portal, () =>
      ask(`POST ${base}/sites`, { name: unique('site'), uri: unique('site') }),
    );
    expect(events).toMatchObject([{ user_name: user.name, service_token: made.name, portal: 'admin' }]);
    const { events: others } = await audited(portal, () => addSite(admin));
    expect(others).toMatchObject([{ service_token: null }]);
  });

  it('uses the client module with the rights of its user', async () => {
    const site = await addSite(admin, { authenticators: [world.domain.id] });
    const { ask } = await addToken((await addService([])).user, { permissions: [] });
    const list = (uri: string) => ask(`GET /aggregator/api/client/v7.0/${uri}/servicesList/`);
    expect((await list(site.uri)).status).toBe(200);
    expect((await list(world.site.uri)).status).toBe(404);
  });

  it('cannot log out, and has neither password nor sessions', async () => {
    const { ask } = await addToken((await addService([])).user);
    for (const [route, body] of [
      ['POST /api/auth/v7.0/logout'],
      ['PUT /api/userinfo/password', { current: goodPassword, new: 'another long pass phrase' }],
      ['POST /api/userinfo/two_factor', { password: goodPassword }],
      ['POST /api/userinfo/two_factor', { code: '123456' }],
      ['DELETE /api/userinfo/two_factor', { password: goodPassword, code: '123456' }],
      ['GET /api/userinfo/sessions'],
      [`DELETE /api/userinfo/sessions/${world.site.id}`],
    ] as const)
      expect([route, ...(await codeOf(ask(route, body)))]).toEqual([
        route,
        409,
        'invalid_state',
        'service_token',
      ]);
    expect(await statusOf(ask)).toBe(200);
  });

  it('needs no second factor, and is not blocked by a mandatory password change', async () => {
    const domain = await addDomain(admin, { two_factor: true });
    const { user } = await addService([], { must_change_password: true }, domain);
    const { ask } = await addToken(user, {}, domain);
    expect((await ask('GET /api/discover/')).status).toBe(200);
  });

  it('has the portal of a login of its user, or none', async () => {
    const [staff, plain] = [await addService(['sites.read']), await addService([])];
    const tokens = [(await addToken(staff.user)).made.token, (await addToken(plain.user)).made.token];
    for (const [portalType, seen] of [
      ['admin', ['admin', 'invalid_token']],
      ['user', ['user', 'user']],
    ] as const) {
      const { database } = portal;
      const other = await startPortal({ portalType, database });
      const answers = await Promise.all(tokens.map((token) => other.send('GET /api/userinfo', { token })));
      expect(answers.map(({ body }) => body.portal ?? body.code)).toEqual(seen);
      expect(answers.map(({ body }) => body.permissions?.length ?? 0)).toEqual([
        portalType === 'admin' ? 1 : 0,
        0,
      ]);
      await other.close();
    }
  });

  it('does not count as a session', async () => {
    const count = async () => {
      const { userSessions, adminSessions } = await installationCounts(portal.db, portal.deps.clock());
      return userSessions + adminSessions;
    };
    const { user } = await addService(['sites.read']);
    const before = await count();
    const { ask } = await addToken(user);
    expect(await statusOf(ask)).toBe(200);
    expect(await count()).toBe(before);
    expect(await portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id))).toEqual(
      [],
    );
  });
});
