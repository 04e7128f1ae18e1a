import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { type Permission, permissions } from '../../../shared/context/permissions.ts';
import { createSessions, type Sessions } from '../../contract/support/sessions.ts';
import {
  addFarm,
  addGateway,
  addRole,
  addRule,
  addSite,
  addTag,
  addUser,
  base,
  goodPassword,
  startWorld,
  useStand,
} from '../../support/factories.ts';
import { allReadable, changesPath, follow, patient, serveChanges } from '../../support/http/changes.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(async () => {
  const world = await startWorld();
  const served = await serveChanges(world.portal);
  const token = await world.portal.login();
  const sessions: Sessions = await createSessions(world.portal, token);
  const close = async () => {
    world.portal.deps.changes?.end();
    await served.close();
    await world.portal.close();
  };
  return { world, token, sessions, origin: served.origin, close };
});

it('is refused to a caller that may read nothing', async () => {
  const { world, sessions } = stand;
  const token = await sessions.withoutRole();
  const answer = await world.portal.send(`GET ${changesPath}`, { token });
  expect(answer.status).toBe(403);
});

it('ends a stream when its session ends, and not those of others', async () => {
  const { world, origin, token } = stand;
  const own = await world.portal.login();
  const [stream, other] = [await follow(origin, own), await follow(origin, token)];
  expect((await world.portal.send('POST /api/auth/v7.0/logout', { token: own })).status).toBeLessThan(300);
  await expect.poll(() => stream.ends(), patient).toBeGreaterThan(0);
  expect(other.ends()).toBe(0);
  for (const one of [stream, other]) one.close();
});

it('ends a stream when the user is disabled, and when the session has expired', async () => {
  const { world, origin } = stand;
  const role = await addRole(world.admin, ['sites.read']);
  const people = [];
  for (let n = 0; n < 2; n++) {
    const user = await addUser(world.admin, world.domain, { password: goodPassword, roles: [role.id] });
    const { body } = await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username: user.name, password: goodPassword, authSmallName: world.domain.small_name },
    });
    people.push({ user, stream: await follow(origin, body.token) });
  }
  const [disabled, expired] = people;
  await world.admin(`PATCH ${base}/authenticators/${world.domain.id}/users/${disabled?.user.id}`, {
    state: 'inactive',
  });
  await expect.poll(() => disabled?.stream.ends(), patient).toBeGreaterThan(0);
  expect(expired?.stream.ends()).toBe(0);
  await world.portal.db.update(loginSessions).set({ idle_until: new Date(0) });
  await expect.poll(() => expired?.stream.ends(), patient).toBeGreaterThan(0);
  for (const { stream } of people) stream.close();
  // The session of the administrator of the world has expired as well.
  Object.assign(stand, { token: await world.portal.login() });
});

it('applies narrower rights to the next event', async () => {
  const { world, origin, token } = stand;
  const admin = (route: string, body?: unknown) => world.portal.send(route, { token, body });
  const { body: role } = await admin(`POST ${base}/rbac`, {
    name: 'seeing',
    permissions: ['sites.read', 'tags.read'],
    scope: { sites: '*' },
  });
  const user = await admin(`POST ${base}/authenticators/${world.domain.id}/users`, {
    name: 'seeing',
    password: goodPassword,
    roles: [role.id],
  });
  expect(user.status).toBe(201);
  const login = await world.portal.send('POST /api/auth/v7.0/login', {
    body: { username: 'seeing', password: goodPassword, authSmallName: world.domain.small_name },
  });
  const stream = await follow(origin, login.body.token);
  const make = async (path: string, body: object) => (await admin(`POST ${base}/${path}`, body)).body;
  const first = await make('sites', { name: 'First', uri: 'first' });
  await expect.poll(() => stream.seen, patient).toContain(`site ${first.id}`);
  await admin(`PATCH ${base}/rbac/${role.id}`, { permissions: ['tags.read'] });
  const hidden = await make('sites', { name: 'Hidden', uri: 'hidden' });
  const tag = await make('tags', { name: 'shown' });
  await expect.poll(() => stream.seen, patient).toContain(`tag ${tag.id}`);
  expect(stream.seen).not.toContain(`site ${hidden.id}`);
  stream.close();
});

const lists: Readonly<Record<string, string>> = {
  site: 'sites',
  farm: 'farms',
  rule: 'rules',
  gateway: 'gateways',
  tag: 'tags',
  role: 'rbac',
};
const readable = Object.keys(lists).map((kind): Permission => `${kind}s.read` as Permission);

it('announces to a caller what the lists return to it', async () => {
  const { world, token } = stand;
  const sessions = await createSessions(world.portal, token);
  const admin = (route: string, body?: unknown) => world.portal.send(route, { token, body });
  const sites: Json[] = [];
  for (let n = 0; n < 3; n++) sites.push(await addSite(admin));
  const ids = sites.map(({ id }) => id);
  const grants = fc.record({
    permissions: fc.subarray(
      readable.filter((one) => permissions.includes(one)),
      { minLength: 1 },
    ),
    sites: fc.oneof(fc.constant('*' as const), fc.subarray(ids, { minLength: 1 })),
  });
  const property = fc.asyncProperty(grants, fc.subarray(ids), async (grant, ofGateway) => {
    const caller = await sessions.holding(grant);
    await allReadable(world.portal.db);
    const start = await world.portal.send(`GET ${changesPath}`, { token: caller });
    for (const site of sites) {
      const farm = await addFarm(admin, site);
      await addRule(admin, site, { members: [{ farm_id: farm.id, servicepool_uuid: farm.id }] });
    }
    await addGateway(admin, { sites: ofGateway });
    await addTag(admin);
    await addRole(admin, ['sites.read']);
    await admin(`PATCH ${base}/sites/${ids[0]}`, { comments: String(Math.random()) });
    await allReadable(world.portal.db);
    const { body } = await world.portal.send(`GET ${changesPath}?after=${start.body.next}`, {
      token: caller,
    });
    const told: string[] = body.items.map(({ kind, id }: Json) => `${kind} ${id}`);
    const whole = await admin(`GET ${changesPath}?after=${start.body.next}`);
    const all: string[] = whole.body.items.map(({ kind, id }: Json) => `${kind} ${id}`);
    const visible = new Set<string>();
    for (const [kind, path] of Object.entries(lists)) {
      const list = await world.portal.send(`GET ${base}/${path}?limit=500`, { token: caller });
      for (const { id } of list.body.items ?? []) visible.add(`${kind} ${id}`);
    }
    const expected = all.filter((one) => visible.has(one));
    expect(told.toSorted()).toEqual(expected.toSorted());
  });
  await fc.assert(property, { numRuns: 12, seed: 7 });
}, 120_000);
