import { beforeAll, describe, expect, it } from 'vitest';
import { type Ask, addMember, audited, base, unique, useWorld } from '../../support/factories.ts';
import { addPortal } from '../../support/fleet/portal-rows.ts';

const path = `${base}/appnodes/portals`;
const world = useWorld();
let admin: Ask;

beforeAll(async () => {
  ({ admin } = world);
});

describe('a portal', () => {
  it('is listed with the values of its heartbeats', async () => {
    const { id, name } = await addPortal(world.portal);
    const { body } = await admin(`GET ${path}?search=${name}`);
    expect(body.items).toMatchObject([
      {
        id,
        uuid: id,
        name,
        fqdn: 'portal.test',
        portal_type: 'universal',
        runtime: 'node',
        state: 'online',
        tags: [],
      },
    ]);
    expect(body.items[0].uptime_s).toBeGreaterThanOrEqual(3_599);
  });

  it('keeps id, tags and revision over its heartbeats', async () => {
    const { id, name } = await addPortal(world.portal, { tags: ['blue'] });
    const before = (await admin(`GET ${path}?search=${name}`)).body.items[0];
    await addPortal(world.portal, { name, os: 'Linux 7', tags: ['blue'] });
    const [after] = (await admin(`GET ${path}?search=${name}`)).body.items;
    expect(after).toMatchObject({ id, os: 'Linux 7', tags: ['blue'], updated_at: before.updated_at });
  });

  it('is offline after a minute without a heartbeat, and can be deleted only then', async () => {
    const online = await addPortal(world.portal);
    const offline = await addPortal(world.portal, { silentS: 61 });
    const listed = await admin(`GET ${path}?state=offline&limit=500`);
    expect(listed.body.items.map((item: { id: string }) => item.id)).toContain(offline.id);
    expect(listed.body.items.map((item: { id: string }) => item.id)).not.toContain(online.id);
    expect(await admin(`DELETE ${path}/${online.id}`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', reason: 'online' },
    });
    const stale = { 'if-match': '"9.0"' };
    expect((await admin(`DELETE ${path}/${offline.id}`, undefined, stale)).status).toBe(412);
    expect((await admin(`DELETE ${path}/${offline.id}`)).status).toBe(204);
    expect((await admin(`DELETE ${path}/${offline.id}`)).status).toBe(404);
  });

  it('on an edge runtime reports every minute, and is offline after two and a half', async () => {
    const states = await Promise.all(
      [61, 140, 160].map(async (silentS) => {
        const { name } = await addPortal(world.portal, { runtime: 'lambda', silentS });
        return (await admin(`GET ${path}?search=${name}`)).body.items[0].state;
      }),
    );
    expect(states).toEqual(['online', 'online', 'offline']);
  });

  it('has its metrics under the names of the metrics endpoint', async () => {
    const { id } = await addPortal(world.portal);
    const { status, body } = await admin(`PATCH ${path}/${id}/metrics`);
    expect({ status, body }).toEqual({
      status: 200,
      body: { version_info: { version: '7.0' }, uptime_seconds: 12.5 },
    });
  });

  it('returns its tags, and replaces them by a body in one audited write', async () => {
    const { id } = await addPortal(world.portal, { tags: ['blue'] });
    const tag = unique('tag');
    const read = await admin(`PATCH ${path}/${id}/tags`);
    expect(read.body).toEqual({ tags: ['blue'] });
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${path}/${id}/tags`, { tags: [tag] }),
    );
    expect(result).toMatchObject({ status: 200, body: { tags: [tag] } });
    expect(events).toMatchObject([
      { object_type: 'portal', object_id: id, changes: [{ field: 'tags', before: ['blue'], after: [tag] }] },
    ]);
    expect((await admin(`GET ${base}/tags?search=${tag}`)).body.items).toHaveLength(1);
    const stale = { 'if-match': read.headers.get('etag') ?? '' };
    expect((await admin(`PATCH ${path}/${id}/tags`, { tags: [] }, stale)).status).toBe(412);
  });

  it('has its tags read with the permission to read portals, and written with the scope of all sites', async () => {
    const { id } = await addPortal(world.portal);
    const reader = await addMember(world, ['portals.read'], [world.site.id]);
    const narrow = await addMember(world, ['portals.read', 'portals.update'], [world.site.id]);
    expect((await reader.ask(`PATCH ${path}/${id}/tags`)).status).toBe(200);
    expect(await reader.ask(`PATCH ${path}/${id}/tags`, { tags: [] })).toMatchObject({
      status: 403,
      body: { required_permission: 'portals.update' },
    });
    expect((await narrow.ask(`PATCH ${path}/${id}/tags`, { tags: [] })).status).toBe(403);
  });
});
