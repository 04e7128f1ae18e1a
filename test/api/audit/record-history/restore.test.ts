import { describe, expect, it } from 'vitest';
import {
  addDispatcher,
  addFarm,
  addGateway,
  addMember,
  addRole,
  addRule,
  addSite,
  addUser,
  audited,
  base,
  goodPassword,
  logIn,
  rulesPath,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import { png } from '../../../support/pictures.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
const admin = (...request: Parameters<typeof world.admin>) => world.admin(...request);

const firstVersion = async (path: string): Promise<string> =>
  (await admin(`GET ${path}/history`)).body.items.at(-1).version;

/** A farm with a changed weight, and its first version. */
async function changedFarm() {
  const farm = await addFarm(world.admin, world.site, { weight: 1, comments: 'first' });
  const path = `${base}/farms/${farm.id}`;
  const version = await firstVersion(path);
  await admin(`PATCH ${path}`, { weight: 2, comments: 'second' });
  return { path, version };
}

describe('restoring a version', () => {
  it('is one write with its own audit event', async () => {
    const { path, version } = await changedFarm();
    const { result, events } = await audited(world.portal, () => admin(`POST ${path}/restore`, { version }));
    expect(result).toMatchObject({ status: 200, body: { weight: 1, comments: 'first', skipped: [] } });
    expect(events).toMatchObject([{ action: 'restore', details: { revision: 3, version } }]);
    const { skipped: _, ...body } = result.body;
    const read = await admin(`GET ${path}`);
    expect(read.body).toEqual(body);
    expect(read.headers.get('etag')?.split('.')[0]).toBe(result.headers.get('etag')?.split('.')[0]);
  });

  it('compares If-Match', async () => {
    const { path, version } = await changedFarm();
    const restore = (ifMatch: string) => admin(`POST ${path}/restore`, { version }, { 'if-match': ifMatch });
    expect((await restore('"1.0"')).status).toBe(412);
    const current = (await admin(`GET ${path}`)).headers.get('etag') ?? '';
    expect((await restore(current)).status).toBe(200);
  });

  it('with X-Dry-Run changes nothing', async () => {
    const { path, version } = await changedFarm();
    const { body } = await admin(`POST ${path}/restore`, { version }, { 'x-dry-run': 'true' });
    expect(body).toMatchObject({ dry_run: true, would: { status: 200, body: { weight: 1 } } });
    expect(body.would.events).toMatchObject([{ action: 'restore', changes: expect.any(Array) }]);
    expect((await admin(`GET ${path}`)).body.weight).toBe(2);
  });

  it('with Idempotency-Key takes effect once', async () => {
    const { path, version } = await changedFarm();
    const headers = { 'idempotency-key': unique('key') };
    const first = await admin(`POST ${path}/restore`, { version }, headers);
    await admin(`PATCH ${path}`, { weight: 9 });
    expect((await admin(`POST ${path}/restore`, { version }, headers)).body).toEqual(first.body);
    expect((await admin(`GET ${path}`)).body.weight).toBe(9);
  });

  it('is refused for an unknown version, an object that was deleted, and a name that is taken', async () => {
    const { path, version } = await changedFarm();
    const farm = (await admin(`GET ${path}`)).body;
    const refusal = async (of: string) => {
      const { status, body } = await admin(`POST ${path}/restore`, { version: of });
      return [status, body.errors?.[0]?.pointer];
    };
    expect(await refusal('01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11')).toEqual([422, '/version']);
    await admin(`PATCH ${path}`, { name: unique('renamed') });
    await addFarm(world.admin, world.site, { name: farm.name });
    expect(await refusal(version)).toEqual([409, '/name']);
    expect((await admin(`POST ${base}/farms/${world.site.id}/restore`, { version })).status).toBe(404);
  });

  it('is refused with the field of an object that no longer exists', async () => {
    const user = await addUser(world.admin, world.domain);
    const site = await addSite(world.admin, { users: [user.id] });
    const path = `${base}/sites/${site.id}`;
    const version = await firstVersion(path);
    await admin(`PATCH ${path}`, { users: [] });
    expect((await admin(`DELETE ${usersPath(world.domain)}/${user.id}`)).status).toBe(204);
    const { status, body } = await admin(`POST ${path}/restore`, { version });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/users', code: 'not_found' }]]);
  });
});

describe('restoring leaves secrets as they are', () => {
  it('of a user, who keeps the password', async () => {
    const user = await addUser(world.admin, world.domain, { real_name: 'First' });
    const path = `${usersPath(world.domain)}/${user.id}`;
    const version = await firstVersion(path);
    const password = `${goodPassword} again`;
    await admin(`PATCH ${path}`, { real_name: 'Second', password });
    const { body } = await admin(`POST ${path}/restore`, { version });
    expect(body).toMatchObject({ real_name: 'First', password_set: true, skipped: ['password'] });
    expect((await logIn(world.portal, world.domain, user, { password })).status).toBe(200);
  });

  it('of a dispatcher, whose key belongs to its present address', async () => {
    const node = await addDispatcher(world.admin, world.farm, { health_key: 'first' });
    const path = `${base}/dispatchers/${node.id}`;
    const version = await firstVersion(path);
    await admin(`PATCH ${path}`, { priority: 5 });
    const { body } = await admin(`POST ${path}/restore`, { version });
    expect(body).toMatchObject({
      priority: 1,
      health_key_set: true,
      skipped: expect.arrayContaining(['health_key']),
    });
    await admin(`PATCH ${path}`, { url: 'https://elsewhere.example.com', health_key: 'second' });
    const refused = await admin(`POST ${path}/restore`, { version });
    expect([refused.body.code, refused.body.errors[0].pointer]).toEqual(['secret_required', '/health_key']);
  });

  it('of a gateway, whose token stays valid', async () => {
    const gateway = await addGateway(world.admin, { priority: 2 });
    const path = `${base}/gateways/${gateway.id}`;
    const version = await firstVersion(path);
    await admin(`PATCH ${path}`, { priority: 3, rotate_token: true });
    const { body } = await admin(`POST ${path}/restore`, { version });
    expect(body).toMatchObject({ priority: 2, token: null, token_set: true });
  });
});

describe('restoring obeys the rules of the record', () => {
  it('grants no permissions that the caller lacks', async () => {
    const role = await addRole(world.admin, ['sites.read', 'audit.read']);
    const path = `${base}/rbac/${role.id}`;
    const version = await firstVersion(path);
    await admin(`PATCH ${path}`, { permissions: ['sites.read'] });
    const { ask } = await addMember(world, ['roles.read', 'roles.update', 'sites.read']);
    const { status, body } = await ask(`POST ${path}/restore`, { version });
    expect([status, body.missing]).toEqual([403, ['audit.read']]);
  });

  it('uses the picture of a rule while it exists', async () => {
    const image = (shade: number) => `data:image/png;base64,${png(shade).toString('base64')}`;
    const rule = await addRule(world.admin, world.site, { image: image(1) });
    const other = await addRule(world.admin, world.site, { image_id: rule.image_id });
    const path = `${rulesPath}/${rule.id}`;
    const version = await firstVersion(path);
    await admin(`PATCH ${path}`, { image: image(2) });
    const restored = await admin(`POST ${path}/restore`, { version });
    expect(restored.body).toMatchObject({ image_id: rule.image_id });
    await admin(`PATCH ${path}`, { image_id: null });
    await admin(`DELETE ${rulesPath}/${other.id}`);
    const { status, body } = await admin(`POST ${path}/restore`, { version });
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/image_id', code: 'not_found' }]]);
  });

  it('records that a new password needs no further change', async () => {
    const user = await addUser(world.admin, world.domain, { must_change_password: true });
    const path = `${usersPath(world.domain)}/${user.id}`;
    const { token } = (await logIn(world.portal, world.domain, user)).body;
    const body = { current: goodPassword, new: `${goodPassword} again` };
    const changed = await world.portal.send('PUT /api/userinfo/password', { token, body });
    expect(changed.status).toBeLessThan(300);
    const { items } = (await admin(`GET ${path}/history`)).body;
    const field = 'must_change_password';
    expect(items[0].changes).toEqual([{ field, before: true, after: false }]);
    const states: Json[] = [];
    for (const { version } of items) states.push((await admin(`GET ${path}/history/${version}`)).body);
    expect(states.map(({ state }) => state[field])).toEqual([false, true]);
    expect(states.every(({ complete }) => complete)).toBe(true);
  });
});
