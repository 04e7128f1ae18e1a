import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  addUser,
  adminOf,
  asker,
  audited,
  base,
  logIn,
  unique,
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
  // Separates the failures of the tests, which share the limit of an address.
  portal.advance(3_700);
  world.admin = asker(portal, await portal.login());
});
const path = `${base}/lock-outs`;
const guess = (name: string, ip?: string) =>
  logIn(portal, world.domain, { name }, { password: 'a wrong guess' }, ip);
async function lock(name: string, ip?: string): Promise<void> {
  for (let n = 0; n < 5; n++) await guess(name, ip);
}
async function locks(query = ''): Promise<Json[]> {
  const { status, body } = await admin(`GET ${path}?${query}`);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.items;
}

describe('lock-outs', () => {
  it('name the user, the domain and the network', async () => {
    const user = await addUser(admin, world.domain);
    await lock(user.name, '203.0.113.7');
    const [entry, ...rest] = await locks(`search=${user.name}`);
    expect(rest).toEqual([]);
    expect(entry).toMatchObject({
      reach: 'account_from_network',
      user: user.name,
      user_id: user.id,
      authenticator_id: world.domain.id,
      authenticator_name: world.domain.name,
      network: '203.0.113.7',
    });
    expect(Date.parse(entry?.locked_until) - Date.parse(entry?.last_failure_at)).toBe(300_000);
    portal.advance(301);
    world.admin = asker(portal, await portal.login());
    expect(await locks(`search=${user.name}`)).toEqual([]);
  });

  it('are paged, sorted and filtered', async () => {
    const names = [unique('one'), unique('two'), unique('three')];
    for (const [at, name] of names.entries()) {
      portal.advance(2);
      await lock(name, `203.0.113.${10 + at}`);
    }
    const users = (items: Json[]) => items.map(({ user }) => user);
    expect(users(await locks())).toEqual(names.toReversed());
    expect(users(await locks('sort=locked_until'))).toEqual(names);
    const first = (await admin(`GET ${path}?limit=2`)).body;
    const second = (await admin(`GET ${path}?limit=2&cursor=${first.next}`)).body;
    expect([users(first.items), users(second.items), second.next]).toEqual([
      [names[2], names[1]],
      [names[0]],
      null,
    ]);
    expect(await locks('reach=network')).toEqual([]);
    expect(await locks('search=113.11')).toMatchObject([{ user: names[1], user_id: null }]);
  });

  it('of an account end at once, with an event', async () => {
    const user = await addUser(admin, world.domain);
    await lock(user.name);
    expect((await logIn(portal, world.domain, user)).status).toBe(429);
    const [entry] = await locks(`search=${user.name}`);
    const { result, events } = await audited(portal, () => admin(`DELETE ${path}/${entry?.id}`));
    expect(result.status).toBe(204);
    expect(events).toMatchObject([
      { action: 'unlock', category: 'auth', object_type: 'user', object_id: user.id, object_name: user.name },
    ]);
    expect((await logIn(portal, world.domain, user)).status).toBe(200);
    expect((await admin(`DELETE ${path}/${entry?.id}`)).status).toBe(404);
  });

  it('of a network end for callers with all permissions', async () => {
    const ip = '198.51.100.20';
    for (let n = 0; n < 50; n++) await guess(unique('guessed'), ip);
    const [entry] = await locks('reach=network');
    expect(entry).toMatchObject({ user: null, user_id: null, authenticator_id: null, network: ip });
    const user = await addUser(admin, world.domain);
    expect((await logIn(portal, world.domain, user, {}, ip)).status).toBe(429);
    const { ask } = await addMember(world, ['users.read', 'users.update']);
    const refused = await ask(`DELETE ${path}/${entry?.id}`);
    expect([refused.status, refused.body.missing.includes('sites.read')]).toEqual([403, true]);
    expect((await admin(`DELETE ${path}/${entry?.id}`)).status).toBe(204);
    expect((await logIn(portal, world.domain, user, {}, ip)).status).toBe(200);
  });

  it('stay for callers with fewer permissions than the user, or without the permission', async () => {
    const strong = await addMember(world, ['farms.delete']);
    await lock(strong.user.name, '203.0.113.9');
    const [entry] = await locks(`search=${strong.user.name}`);
    const weak = await addMember(world, ['users.read', 'users.update']);
    expect((await weak.ask(`DELETE ${path}/${entry?.id}`)).body).toMatchObject({
      code: 'forbidden',
      missing: ['farms.delete'],
    });
    const reader = await addMember(world, ['users.read']);
    expect((await reader.ask(`DELETE ${path}/${entry?.id}`)).status).toBe(403);
    expect((await strong.ask(`GET ${path}`)).status).toBe(403);
    expect(await locks(`search=${strong.user.name}`)).toHaveLength(1);
  });
});
