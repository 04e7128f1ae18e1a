import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addDomain,
  addMember,
  addUser,
  adminOf,
  asker,
  audited,
  base,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json, TestPortal } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let portal: TestPortal;
beforeAll(async () => {
  portal = world.portal;
});
beforeEach(async () => {
  portal.advance(61);
  world.admin = asker(portal, await portal.login());
});
const itemsOf = async (path: string, ask = admin): Promise<Json[]> => {
  const { status, body } = await ask(`GET ${base}/${path}`);
  expect(status).toBe(200);
  return body.items;
};
const namesOf = async (path: string) => (await itemsOf(path)).map(({ name }) => name);

describe('the users of all domains', () => {
  it('are found by login name, full name and address, whatever the domain', async () => {
    const other = await addDomain(admin);
    const word = unique('word');
    const [a, b, c] = [`a-${word}`, unique('b'), unique('c')];
    await addUser(admin, world.domain, { name: a });
    await addUser(admin, other, { name: b, real_name: `Berta ${word.toUpperCase()}` });
    await addUser(admin, other, { name: c, email: `${word}@example.com` });
    expect(await namesOf(`users?search=${word.slice(3)}`)).toEqual([a, b, c]);
    expect(await namesOf(`users?search=${word.slice(3)}&authenticator=${other.id}`)).toEqual([b, c]);
    const first = (await admin(`GET ${base}/users?search=${word.slice(3)}&limit=1&count=exact`)).body;
    expect([first.total, first.items[0].authenticator_name]).toEqual([3, world.domain.name]);
    expect(await namesOf(`users?search=${word.slice(3)}&limit=1&cursor=${first.next}`)).toEqual([b]);
  });

  it('are filtered by state, kind, role and lock-out', async () => {
    const domain = await addDomain(admin);
    const { role } = await addMember(world, ['sites.read']);
    const plain = await addUser(admin, domain, { name: 'plain' });
    await addUser(admin, domain, { name: 'off', state: 'inactive' });
    await addUser(admin, domain, { name: 'robot', kind: 'service', password: null });
    await addUser(admin, domain, { name: 'staff', roles: [role.id] });
    const inDomain = (query: string) => namesOf(`users?authenticator=${domain.id}&${query}`);
    expect(await inDomain('state=inactive')).toEqual(['off']);
    expect(await inDomain('kind=service')).toEqual(['robot']);
    expect(await inDomain(`role=${role.id}`)).toEqual(['staff']);
    expect(await inDomain('has_role=false')).toEqual(['off', 'plain', 'robot']);
    expect(await inDomain('two_factor=true')).toEqual([]);
    expect(await inDomain('locked=true')).toEqual([]);
    for (let n = 0; n < 5; n++) await logIn(portal, domain, plain, { password: 'a wrong guess' });
    expect(await inDomain('locked=true')).toEqual(['plain']);
  });
});

describe('the sessions of all users', () => {
  const path = `${base}/login-sessions`;

  it('name the user and the domain, the last used first', async () => {
    const member = await addMember(world, ['sites.read']);
    const [session, ...rest] = await itemsOf(`login-sessions?user=${member.user.id}`);
    expect(rest).toEqual([]);
    expect(session).toMatchObject({
      user: member.user.name,
      user_id: member.user.id,
      authenticator_id: world.domain.id,
      authenticator_name: world.domain.name,
      current: false,
    });
    expect((await itemsOf('login-sessions')).filter(({ current }) => current)).toHaveLength(1);
    expect(await itemsOf(`login-sessions?search=${member.user.name.toUpperCase()}`)).toHaveLength(1);
    expect(await itemsOf(`login-sessions?user=${member.user.id}&portal=user`)).toEqual([]);
  });

  it('are ended one by one, with an event', async () => {
    const member = await addMember(world, ['sites.read']);
    const again = await logIn(portal, world.domain, member.user);
    const sessions = await itemsOf(`login-sessions?user=${member.user.id}&sort=created_at`);
    const id = sessions[0]?.id;
    const { result, events } = await audited(portal, () => admin(`DELETE ${path}/${id}`));
    expect(result.status).toBe(204);
    expect(events).toMatchObject([
      { action: 'end_session', object_type: 'session', object_id: id, details: { user: member.user.name } },
    ]);
    expect((await member.ask('GET /api/userinfo')).status).toBe(401);
    expect((await asker(portal, again.body.token)('GET /api/userinfo')).status).toBe(200);
    expect((await admin(`DELETE ${path}/${id}`)).status).toBe(404);
  });

  it('of a user with more permissions stay, and those of a user with a limited scope end nothing', async () => {
    const strong = await addMember(world, ['sites.read', 'farms.delete']);
    const weak = await addMember(world, ['users.read', 'users.update']);
    const narrow = await addMember(world, ['users.read', 'users.update'], [world.site.id]);
    const [session] = await itemsOf(`login-sessions?user=${strong.user.id}`);
    const refused = await weak.ask(`DELETE ${path}/${session?.id}`);
    expect([refused.status, refused.body.missing]).toEqual([403, ['farms.delete', 'sites.read']]);
    expect((await narrow.ask(`DELETE ${path}/${session?.id}`)).status).toBe(403);
    expect((await strong.ask('GET /api/userinfo')).status).toBe(200);
    expect((await strong.ask(`GET ${path}`)).status).toBe(403);
  });
});

describe('the service tokens of all users', () => {
  it('are listed by their end, with user and domain, without values', async () => {
    const user = await addUser(admin, world.domain, { kind: 'service', password: null });
    const tokens = `${usersPath(world.domain)}/${user.id}/tokens`;
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const days of [30, 5, 300])
      await admin(`POST ${tokens}`, {
        name: `for ${days}`,
        expires_at: inDays(days),
        permissions: ['sites.read'],
      });
    const path = `service-tokens?user=${user.id}`;
    expect(await namesOf(path)).toEqual(['for 5', 'for 30', 'for 300']);
    expect(await namesOf(`${path}&expires_before=${inDays(31)}`)).toEqual(['for 5', 'for 30']);
    expect(await namesOf(`${path}&unused_since=${inDays(-1)}`)).toEqual([]);
    expect(await namesOf(`${path}&own=true`)).toEqual([]);
    const [token] = await itemsOf(path);
    expect(token).toMatchObject({
      user: user.name,
      authenticator_name: world.domain.name,
      permissions: ['sites.read'],
      own: false,
    });
    expect(Object.keys(token ?? {}).filter((name) => /hash|token|scopes/.test(name))).toEqual([]);
    const { ask } = await addMember(world, ['sites.read']);
    expect((await ask(`GET ${base}/service-tokens`)).status).toBe(403);
  });
});
