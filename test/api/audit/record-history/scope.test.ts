import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditEvents } from '../../../../db/schema/audit/events.ts';
import { permissions } from '../../../../shared/context/permissions.ts';
import {
  type Ask,
  addDirectory,
  addDispatcher,
  addFarm,
  addGateway,
  addMember,
  addPriorityGroup,
  addSite,
  addTag,
  addUser,
  audited,
  base,
  domainsPath,
  goodPassword,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
/** A caller with all permissions for one site, and another site. */
let scoped: Ask;
let other: Json;
let otherFarm: Json;
beforeAll(async () => {
  scoped = (await addMember(world, permissions, [world.site.id])).ask;
  other = await addSite(world.admin);
  otherFarm = await addFarm(world.admin, other);
});

const text = (value: unknown): string => JSON.stringify(value);
const versionsOf = async (path: string, ask: Ask = world.admin): Promise<Json[]> =>
  (await ask(`GET ${path}/history`)).body.items;

describe('the history of a record outside of the scope', () => {
  it('does not exist', async () => {
    const path = `${base}/sites/${other.id}`;
    const [{ version }] = (await versionsOf(path)) as [Json];
    for (const route of [`GET ${path}/history`, `GET ${path}/history/${version}`])
      expect((await scoped(route)).status, route).toBe(404);
    expect((await scoped(`POST ${path}/restore`, { version })).status).toBe(404);
  });

  it('does not exist under the address of another record', async () => {
    const [{ version }] = (await versionsOf(`${base}/sites/${other.id}`)) as [Json];
    const path = `${base}/sites/${world.site.id}`;
    expect((await scoped(`GET ${path}/history/${version}`)).status).toBe(404);
    const answer = await scoped(`POST ${path}/restore`, { version });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/version']);
  });

  it('does not exist under another domain', async () => {
    const user = await addUser(world.admin, world.domain);
    const domain = await addDirectory(world.admin);
    expect((await world.admin(`GET ${usersPath(domain)}/${user.id}/history`)).status).toBe(404);
    expect(await versionsOf(`${usersPath(world.domain)}/${user.id}`)).toHaveLength(1);
  });
});

describe('the history of a record whose sites follow from other records', () => {
  it('requires the permission for all sites, because its events do not say where it was before', async () => {
    const gateway = await addGateway(world.admin, { sites: [other.id] });
    const group = await addPriorityGroup(world.admin, {
      farms: [{ farm_id: world.farm.id, priority: 1 }],
    });
    const node = await addDispatcher(world.admin, otherFarm);
    await world.admin(`PATCH ${base}/gateways/${gateway.id}`, { sites: [world.site.id] });
    await world.admin(`PATCH ${base}/dispatchers/${node.id}`, { farm_id: world.farm.id });
    for (const path of [
      `${base}/gateways/${gateway.id}`,
      `${base}/priority_groups/${group.id}`,
      `${base}/dispatchers/${node.id}`,
    ]) {
      expect((await scoped(`GET ${path}`)).status).toBe(200);
      const [{ version } = { version: '' }] = await versionsOf(path);
      expect((await scoped(`GET ${path}/history`)).status).toBe(403);
      expect((await scoped(`GET ${path}/history/${version}`)).status).toBe(403);
      expect((await scoped(`POST ${path}/restore`, { version })).status).toBe(403);
    }
  });
});

it('a record that came into the scope has no history from before', async () => {
  const comments = unique('of the other site');
  const farm = await addFarm(world.admin, other, { comments });
  const path = `${base}/farms/${farm.id}`;
  const moved = { site_id: world.site.id, comments: 'here' };
  await world.admin(`PATCH ${path}`, moved);
  await world.admin(`PATCH ${path}`, { weight: 3 });
  const all = (await world.admin(`GET ${path}/history`)).body;
  const visible = (await scoped(`GET ${path}/history`)).body;
  expect([all.items.length, all.complete]).toEqual([3, true]);
  expect(visible.complete).toBe(false);
  expect(visible.items.map(({ version }: Json) => version)).toEqual(
    all.items.slice(0, 2).map(({ version }: Json) => version),
  );
  const arrival = (await scoped(`GET ${path}/history/${all.items[1].version}`)).body;
  expect(arrival.state).toMatchObject(moved);
  for (const answer of [visible, arrival]) {
    expect(text(answer)).not.toContain(other.id);
    expect(text(answer)).not.toContain(comments);
  }
  const earliest = all.items[2].version;
  expect((await scoped(`GET ${path}/history/${earliest}`)).status).toBe(404);
  expect((await scoped(`POST ${path}/restore`, { version: earliest })).status).toBe(422);
});

it('needs the permission to read the record, and none to read the audit log', async () => {
  const { ask } = await addMember(world, ['farms.read']);
  const path = `${base}/farms/${world.farm.id}`;
  const { status, body } = await ask(`GET ${path}/history`);
  expect(status).toBe(200);
  expect(Object.keys(body.items[0]).sort()).toEqual(
    ['action', 'actor', 'at', 'changes', 'domain', 'request_id', 'service_token', 'user', 'version'].sort(),
  );
  expect((await ask(`GET ${base}/audit`)).status).toBe(403);
  expect((await ask(`GET ${base}/sites/${world.site.id}/history`)).status).toBe(403);
  const { version } = body.items[0];
  expect((await ask(`POST ${path}/restore`, { version })).status).toBe(403);
});

describe('secrets', () => {
  it('are shown as changed only', async () => {
    const secret = unique('secret');
    const user = await addUser(world.admin, world.domain, { password: `${goodPassword} ${secret}` });
    const domain = await addDirectory(world.admin, { bind_dn: 'cn=reader', bind_password: secret });
    const paths = [`${usersPath(world.domain)}/${user.id}`, `${domainsPath}/${domain.id}`];
    for (const path of paths) {
      const [item] = (await versionsOf(path)) as [Json];
      expect(text(item)).toContain('***');
      const version = (await world.admin(`GET ${path}/history/${item.version}`)).body;
      for (const answer of [item, version]) expect(text(answer)).not.toContain(secret);
      expect(version.state).not.toHaveProperty('password');
    }
  });

  it('addresses of a directory are shown for all sites only', async () => {
    const host = `ldaps://${unique('host')}.example.com`;
    const { id } = await addDirectory(world.admin, { hosts: [host] });
    const path = `${domainsPath}/${id}`;
    expect(text(await versionsOf(path))).toContain(host);
    expect(text(await versionsOf(path, scoped))).not.toContain(host);
    const [{ version }] = (await versionsOf(path, scoped)) as [Json];
    expect(text((await scoped(`GET ${path}/history/${version}`)).body)).not.toContain(host);
  });
});

describe('tags', () => {
  it('do not show the objects that they were added to, which get a version of their own', async () => {
    const { admin } = world;
    const [tag, domain] = [await addTag(admin), await addDirectory(admin)];
    const path = `${base}/tags/${tag.id}`;
    const name = unique('tag');
    const { events } = await audited(world.portal, async () => {
      await admin(`PATCH ${path}`, { attach: [{ type: 'authenticator', id: domain.id }] });
      await admin(`PATCH ${path}`, { name });
    });
    expect(events).toHaveLength(4);
    expect(text(await versionsOf(path))).not.toContain(domain.id);
    const versions = await versionsOf(`${domainsPath}/${domain.id}`);
    expect(versions.map(({ changes }) => changes)).toEqual([
      [{ field: 'tags', before: [tag.name], after: [name] }],
      [{ field: 'tags', before: [], after: [tag.name] }],
      expect.anything(),
    ]);
    for (const { version } of versions) {
      const { body } = await admin(`GET ${domainsPath}/${domain.id}/history/${version}`);
      expect(body).toMatchObject({ complete: true, uncertain: [] });
    }
  });
});

describe('changes without an audit event', () => {
  const withComments = async (...comments: string[]) => {
    const farm = await addFarm(world.admin, world.site, { comments: 'created' });
    const path = `${base}/farms/${farm.id}`;
    for (const text of comments) await world.admin(`PATCH ${path}`, { weight: 3, comments: text });
    return { path, id: farm.id };
  };

  it('make a member uncertain until the next event of it', async () => {
    const { path, id } = await withComments('first');
    await world.admin(`PATCH ${path}`, { weight: 4 });
    await world.portal.db.execute(sql`update farms set comments = 'unseen' where id = ${id}`);
    await world.admin(`PATCH ${path}`, { weight: 5 });
    const [fourth, third, second, first] = (await versionsOf(path)).map(({ version }) => version);
    const read = async (version: string) => (await world.admin(`GET ${path}/history/${version}`)).body;
    const uncertain = { complete: false, uncertain: ['comments'] };
    expect(await read(fourth)).toMatchObject({ ...uncertain, state: { weight: 5 } });
    expect(await read(third)).toMatchObject({ ...uncertain, state: { weight: 4 } });
    expect(await read(second)).toMatchObject({ complete: true, state: { weight: 3, comments: 'first' } });
    expect(await read(first)).toMatchObject({ complete: true, state: { comments: 'created' } });
    const restored = await world.admin(`POST ${path}/restore`, { version: third });
    expect(restored.body).toMatchObject({ weight: 4, comments: 'unseen', skipped: ['comments'] });
  });

  it('of members that did not exist are absent, and keep their values', async () => {
    const { path, id } = await withComments();
    const event = sql`${auditEvents.object_id} = ${id}`;
    const changes = sql`(select jsonb_agg(c) from jsonb_array_elements(changes) c where c ->> 'field' <> 'balancing')`;
    await rewrite(async () => {
      await world.portal.ownerDb.update(auditEvents).set({ changes }).where(event);
    });
    await world.admin(`PATCH ${path}`, { balancing: 'round_robin' });
    const version = (await versionsOf(path)).at(-1)?.version;
    const { body } = await world.admin(`GET ${path}/history/${version}`);
    expect(body).toMatchObject({ complete: true, absent: ['balancing'], uncertain: [] });
    expect(body.state).not.toHaveProperty('balancing');
    const restored = await world.admin(`POST ${path}/restore`, { version });
    expect(restored.body).toMatchObject({ balancing: 'round_robin', skipped: ['balancing'] });
  });

  it('removed by retention leave an incomplete history with the same states', async () => {
    const { path, id } = await withComments('first', 'second');
    const [newest] = (await versionsOf(path)) as [Json];
    const before = (await world.admin(`GET ${path}/history/${newest.version}`)).body;
    await rewrite(async () => {
      await world.portal.ownerDb
        .delete(auditEvents)
        .where(sql`${eq(auditEvents.object_id, id)} and ${auditEvents.id} <> ${newest.version}`);
    });
    const { body } = await world.admin(`GET ${path}/history`);
    expect(body).toMatchObject({ complete: false, items: [newest] });
    const after = (await world.admin(`GET ${path}/history/${newest.version}`)).body;
    expect(after).toEqual({ ...before, complete: false });
  });

  /** Changes the audit log as an older version or the retention would have left it. */
  async function rewrite(work: () => Promise<void>): Promise<void> {
    const { ownerDb } = world.portal;
    await ownerDb.execute(sql`alter table audit_events disable trigger user`);
    try {
      await work();
    } finally {
      await ownerDb.execute(sql`alter table audit_events enable trigger user`);
    }
  }
});
