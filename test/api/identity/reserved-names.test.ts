import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { groups } from '../../../db/schema/identity/groups.ts';
import { users } from '../../../db/schema/identity/users.ts';
import {
  addGroup,
  addMember,
  addUser,
  goodPassword,
  groupsPath,
  logIn,
  pool,
  resources,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { siteWithFarms } from '../../support/fleet/rules.ts';
import { startScim } from '../../support/identity/scim.ts';

const hidden = (name: unknown) => `${String(name).slice(0, 4)}\u034f${String(name).slice(4)}`;
const world = useWorld();
/** Names of tags are ASCII; monitoring records have none. */
const named = resources.filter(({ type }) => !['tag', 'monitoring_record'].includes(type));

describe('confusable names', () => {
  it.each(
    named.map((one) => [one.type, one] as const),
  )('a new %s has no invisible code point in its name', async (_, { path, body, fixedName }) => {
    const given = body(world);
    const made = await world.admin(`POST ${path(world)}`, { ...given, name: hidden(given.name) });
    expect([made.status, made.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
    const good = await world.admin(`POST ${path(world)}`, given);
    expect(good.status).toBe(201);
    if (fixedName) return;
    const renamed = await world.admin(`PATCH ${path(world)}/${good.body.id}`, { name: hidden(given.name) });
    expect([renamed.status, renamed.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
  });

  it('a name from a directory stays, and the rest of its row can be changed', async () => {
    const [user, group] = [
      await addUser(world.admin, world.domain),
      await addGroup(world.admin, world.domain),
    ];
    for (const [table, path, { id, name }] of [
      [users, usersPath(world.domain), user],
      [groups, groupsPath(world.domain), group],
    ] as const) {
      await world.portal.db
        .update(table)
        .set({ name: hidden(name) })
        .where(eq(table.id, id));
      const changed = await world.admin(`PATCH ${path}/${id}`, { comments: 'noted' });
      expect([changed.status, changed.body.name, changed.body.comments]).toEqual([
        200,
        hidden(name),
        'noted',
      ]);
    }
    const external_id = `cn=${unique('g')},dc=example,dc=com`;
    const name = hidden(unique('group'));
    const made = await world.admin(`POST ${groupsPath(world.domain)}`, { name, external_id });
    expect([made.status, made.body.name]).toEqual([201, name]);
  });
});

describe('a name that the audit log gives to work without a user', () => {
  it.each([
    'system',
    'SYSTEM',
    'system:apply',
    'job',
    'anonymous',
    'peer:north',
    's\u200dystem',
    '\uff53ystem',
  ])('%j is reserved', async (name) => {
    const made = await world.admin(`POST ${usersPath(world.domain)}`, { name, password: goodPassword });
    expect([made.status, made.body.errors?.[0]?.pointer]).toEqual([422, '/name']);
    const scim = await startScim(world);
    expect((await scim.ask('POST /Users', { userName: name })).status).toBe(400);
  });

  it('that a user has already signs in, can be kept, and can be changed to another one', async () => {
    const user = await addUser(world.admin, world.domain);
    const path = `${usersPath(world.domain)}/${user.id}`;
    await world.portal.db
      .update(users)
      .set({ name: 'system', name_key: 'system' })
      .where(eq(users.id, user.id));
    expect((await logIn(world.portal, world.domain, { name: 'system' })).status).toBe(200);
    expect((await world.admin(`PATCH ${path}`, { comments: 'old' })).body).toMatchObject({ name: 'system' });
    const name = unique('renamed');
    expect((await world.admin(`PATCH ${path}`, { name })).status).toBe(200);
    expect((await logIn(world.portal, world.domain, { name: 'system' })).status).toBe(401);
    expect((await logIn(world.portal, world.domain, { name })).status).toBe(200);
  });

  it('may be a part of a name', async () => {
    for (const name of ['systems', 'my system', 'jobs', 'operator', 'peer'].map(unique))
      expect((await addUser(world.admin, world.domain, { name })).name).toBe(name);
  });
});

describe('the user name aggregator', () => {
  it.each(['aggregator', 'Aggregator', '\uff41ggregator', ' aggregator '])('%j is reserved', async (name) => {
    const made = await world.admin(`POST ${usersPath(world.domain)}`, { name, password: goodPassword });
    expect([made.status, made.body.errors?.map(({ code }: { code: string }) => code)]).toEqual([
      422,
      ['reserved'],
    ]);
    const user = await addUser(world.admin, world.domain);
    const renamed = await world.admin(`PATCH ${usersPath(world.domain)}/${user.id}`, { name });
    expect([renamed.status, renamed.body.errors?.[0]?.code]).toEqual([422, 'reserved']);
  });

  it('a directory user of this name signs in, and gets no dispatcher token', async () => {
    const { site, farms } = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
    const [{ node } = { node: undefined }] = farms;
    const { ask, user } = await addMember(world, []);
    const services = () => ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
    expect((await services()).status).toBe(200);
    // Writes the row as the first login from a directory does.
    await world.portal.db
      .update(users)
      .set({ name: 'Aggregator', name_key: 'aggregator' })
      .where(eq(users.id, user.id));
    node?.simulator.resetCalls();
    const refused = await services();
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect((await ask('GET /api/userinfo')).status).toBe(200);
    expect(node?.simulator.calls).toEqual([]);
    await node?.simulator.close();
  });
});
