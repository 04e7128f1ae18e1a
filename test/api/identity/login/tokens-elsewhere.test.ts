import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addDomain,
  addMember,
  addRole,
  asker,
  audited,
  base,
  domainsPath,
  goodPassword,
  logIn,
  type Member,
  siteBody,
  startWorld,
  usersPath,
  type World,
} from '../../../support/factories.ts';
import {
  addServiceToken,
  addServiceUser,
  secondsFrom,
  serviceTokensPath,
} from '../../../support/identity/service-tokens.ts';
import { type Answer, type Json, startPortal, type TestPortal } from '../../../support/portal.ts';

/** Changes on one portal must take effect on the other, with which it shares only the database. */
let world: World;
let here: TestPortal;
let there: TestPortal;
const admin: World['admin'] = (...parts) => world.admin(...parts);

beforeAll(async () => {
  world = await startWorld();
  here = world.portal;
  there = await startPortal({ database: here.database });
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  return [status, body.code, body.reason].filter((part) => part !== undefined);
};
/** The result of the next request with the token to the other portal. */
const thereBy = (token: string, route = 'GET /api/userinfo') => codeOf(there.send(route, { token }));
const userPath = ({ user }: Pick<Member, 'user'>, domain: Json = world.domain) =>
  `${usersPath(domain)}/${user.id}`;

/** A service whose token has been used on both portals. */
async function addBearer(permissions: readonly string[], given: object = {}) {
  const { user, role } = await addServiceUser({ admin, domain: world.domain }, permissions);
  const { made } = await addServiceToken(world, user, { permissions, ...given });
  for (const { send } of [here, there])
    expect((await send('GET /api/userinfo', { token: made.token })).status).toBe(200);
  return { user, role, made, token: made.token as string };
}

describe('a service token', () => {
  it('is limited to its own permissions and to the current ones of its user', async () => {
    const { user } = await addServiceUser(world, ['sites.read', 'farms.read']);
    const { made } = await addServiceToken(world, user, { permissions: ['sites.read', 'gateways.read'] });
    const reads = (resource: string) => thereBy(made.token, `GET ${base}/${resource}`);
    expect(await Promise.all(['sites', 'farms', 'gateways'].map(reads))).toEqual([
      [200],
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
  });

  it('is limited to the sites of its user', async () => {
    await admin(`POST ${base}/sites`, siteBody());
    const role = await addRole(world.admin, ['sites.read'], { scope: { sites: [world.site.id] } });
    const { user } = await addServiceUser(world, [], { roles: [role.id] });
    const { made } = await addServiceToken(world, user);
    const { body } = await there.send(`GET ${base}/sites`, { token: made.token });
    expect(body.items.map(({ id }: Json) => id)).toEqual([world.site.id]);
  });

  it('is revoked for every portal at once', async () => {
    const { user, made, token } = await addBearer(['sites.read']);
    const path = `${serviceTokensPath(world.domain, user)}/${made.id}`;
    expect((await admin(`DELETE ${path}`)).status).toBe(204);
    expect(await thereBy(token)).toEqual([401, 'invalid_token']);
  });

  it('is distinguished from a user in the audit', async () => {
    const { user, made, token } = await addBearer(['sites.create']);
    const { events } = await audited(here, async () => {
      expect((await there.send(`POST ${base}/sites`, { token, body: siteBody() })).status).toBe(201);
      expect((await there.send(`GET ${base}/farms`, { token })).status).toBe(403);
    });
    const who = { user_name: user.name, service_token: made.name };
    expect(events).toMatchObject([
      { ...who, event: 'portal.EntityAction' },
      { ...who, event: 'portal.AccessRefused' },
    ]);
  });

  it.each<[string, unknown]>([
    ['POST /api/auth/v7.0/logout', undefined],
    ['PUT /api/userinfo/password', { current: goodPassword, new: 'another long pass phrase' }],
    ['GET /api/userinfo/sessions', undefined],
    ['DELETE /api/userinfo/sessions/01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11', undefined],
  ])('is rejected by %s, which needs an interactive session', async (route, body) => {
    const { token } = await addBearer([]);
    expect(await codeOf(there.send(route, { token, body }))).toEqual([409, 'invalid_state', 'service_token']);
  });
});

describe('a session that was logged out', () => {
  it('is refused by every portal at the next request, and ends once', async () => {
    const { ask, token } = await addMember(world, ['sites.read']);
    expect(await thereBy(token)).toEqual([200]);
    expect((await ask('POST /api/auth/v7.0/logout')).status).toBe(200);
    expect(await thereBy(token)).toEqual([401, 'invalid_token']);
    expect(await thereBy(token, 'POST /api/auth/v7.0/logout')).toEqual([401, 'invalid_token']);
  });

  it('ends once also when several portals log it out concurrently', async () => {
    const { token } = await addMember(world, ['sites.read']);
    const logouts = [here, there, here, there].map(({ send }) =>
      send('POST /api/auth/v7.0/logout', { token }),
    );
    for (const { status } of await Promise.all(logouts)) expect([200, 401]).toContain(status);
    expect(await thereBy(token)).toEqual([401, 'invalid_token']);
  });

  it('does not end the other sessions of its user', async () => {
    const { ask, token, user } = await addMember(world, ['sites.read']);
    const second = (await logIn(there, world.domain, user)).body.token;
    expect((await ask('POST /api/auth/v7.0/logout')).status).toBe(200);
    expect([await thereBy(token), await thereBy(second)]).toEqual([[401, 'invalid_token'], [200]]);
  });

  it('may be ended by its user or an administrator from another portal', async () => {
    const { user, token } = await addMember(world, ['sites.read']);
    const second = (await logIn(there, world.domain, user)).body.token;
    const { body } = await there.send('GET /api/userinfo/sessions', { token: second });
    const first = body.items.find(({ current }: Json) => !current);
    const ended = await there.send(`DELETE /api/userinfo/sessions/${first.id}`, { token: second });
    expect([ended.status, (await here.send('GET /api/userinfo', { token })).status]).toEqual([204, 401]);
    expect((await admin(`DELETE ${userPath({ user })}/sessions`)).status).toBeLessThan(300);
    expect(await thereBy(second)).toEqual([401, 'invalid_token']);
  });
});

describe('issued tokens lose a right', () => {
  type Change = (member: Member, domain: Json) => Promise<Answer>;
  const ends: [string, Change][] = [
    [
      'their user is disabled',
      (one, domain) => admin(`PATCH ${userPath(one, domain)}`, { state: 'inactive' }),
    ],
    ['their user is deleted', (one, domain) => admin(`DELETE ${userPath(one, domain)}`)],
    [
      'their domain is disabled',
      (_, domain) => admin(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' }),
    ],
    [
      'their user gets another password',
      (one, domain) => admin(`PATCH ${userPath(one, domain)}`, { password: 'one more long pass phrase' }),
    ],
  ];
  it.each(ends)('as soon as %s', async (_, change) => {
    const domain = await addDomain(world.admin);
    const one = await addMember({ ...world, domain }, ['sites.read']);
    expect(await thereBy(one.token)).toEqual([200]);
    expect((await change(one, domain)).status).toBeLessThan(300);
    expect(await thereBy(one.token)).toEqual([401, 'invalid_token']);
  });

  const narrowings: [string, (member: Pick<Member, 'user' | 'role'>) => Promise<Answer>][] = [
    [
      'their role no longer gives it',
      ({ role }) => admin(`PATCH ${base}/rbac/${role.id}`, { permissions: ['tags.read'] }),
    ],
    [
      'their user is given another role',
      async (one) => {
        const other = await addRole(world.admin, ['tags.read']);
        return admin(`PATCH ${userPath(one)}`, { roles: [other.id] });
      },
    ],
  ];
  it.each(narrowings)('as soon as %s, sessions and service tokens alike', async (_, change) => {
    const person = await addMember(world, ['sites.read']);
    const bearer = await addBearer(['sites.read']);
    for (const one of [person, bearer]) {
      expect(await thereBy(one.token, `GET ${base}/sites`)).toEqual([200]);
      expect((await change(one)).status).toBe(200);
      expect(await thereBy(one.token, `GET ${base}/sites`)).toEqual([403, 'forbidden']);
      expect(await thereBy(one.token)).toEqual([200]);
    }
  });

  it('as soon as their role is limited to other sites', async () => {
    const { role, token } = await addMember(world, ['sites.read']);
    expect(await thereBy(token, `GET ${base}/sites/${world.site.id}`)).toEqual([200]);
    await admin(`PATCH ${base}/rbac/${role.id}`, { scope: { sites: [] } });
    expect(await thereBy(token, `GET ${base}/sites/${world.site.id}`)).toEqual([404, 'not_found']);
  });
});

// They move the clocks, which expires all other sessions.
describe('the expiry of a session', () => {
  const advance = (seconds: number) => {
    for (const portal of [here, there]) portal.advance(seconds);
  };
  const signIn = async () => {
    world.admin = asker(here, await here.login());
    return addMember(world, []);
  };
  const seen = async (token: string) => {
    const answer = await there.send('GET /api/userinfo', { token });
    await there.settled();
    return answer;
  };
  const later = (start: string, seconds: number) => secondsFrom(new Date(start), seconds);

  it('is returned by /api/userinfo, with idleness since the last use on any portal', async () => {
    const { token } = await signIn();
    const { session } = (await seen(token)).body;
    expect(session.expires_at).toBe(later(session.created_at, 14_400));
    expect(session.idle_expires_at).toBe(later(session.created_at, 1_800));
    advance(1_700);
    expect((await seen(token)).status).toBe(200);
    const next = (await here.send('GET /api/userinfo', { token })).body.session;
    expect(next.expires_at).toBe(session.expires_at);
    expect(Date.parse(next.idle_expires_at)).toBeGreaterThanOrEqual(
      Date.parse(session.idle_expires_at) + 1_700_000,
    );
  });

  it('happens by idleness', async () => {
    const { token } = await signIn();
    advance(1_801);
    expect([(await seen(token)).body.code, await thereBy(token)]).toEqual([
      'invalid_token',
      [401, 'invalid_token'],
    ]);
  });

  it('happens by age, however much it is used', async () => {
    const { token } = await signIn();
    for (let used = 0; used < 14_000; used += 1_750) {
      expect((await seen(token)).status).toBe(200);
      advance(1_750);
    }
    advance(450);
    expect((await seen(token)).body.code).toBe('invalid_token');
  });

  it('follows the parameters at the next request of any portal', async () => {
    const { token } = await signIn();
    advance(700);
    expect((await seen(token)).status).toBe(200);
    advance(700);
    const { status } = await admin(`PUT ${base}/tconfig`, { session: { idle_s: { value: 600 } } });
    expect([status, (await seen(token)).body.code]).toEqual([200, 'invalid_token']);
  });

  it('of a service token: its own expiry is returned in the same way', async () => {
    world.admin = asker(here, await here.login());
    const bearer = await addBearer([], { expires_at: secondsFrom(here.deps.clock(), 86_400) });
    const { session } = (await seen(bearer.token)).body;
    expect([session.expires_at, session.idle_expires_at]).toEqual([
      bearer.made.expires_at,
      bearer.made.expires_at,
    ]);
    advance(86_401);
    expect(await thereBy(bearer.token)).toEqual([401, 'invalid_token']);
  });
});
