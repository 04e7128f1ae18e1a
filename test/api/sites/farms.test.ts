import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { addDispatcher, addFarm, addSite, adminOf, base, unique, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/farms`;
const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

describe('farms', () => {
  it('have every property in their answers, with defaults', async () => {
    const name = unique('farm');
    const made = (await admin(`POST ${path}`, { name, site_id: world.site.id })).body;
    expect(made).toEqual({
      id: made.id,
      name,
      site_id: world.site.id,
      site_name: world.site.name,
      comments: '',
      enabled: true,
      maintenance: false,
      maintenance_template_id: null,
      weight: 10,
      balancing: 'priority',
      creates_users: false,
      identity_domains: [],
      kind: null,
      capabilities: [],
      tags: [],
      dispatchers_count: 0,
      status: 'unknown',
      state: 'unknown',
      last_sync_at: null,
      last_sync_error: null,
      ignored: [],
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('can be moved to another existing site', async () => {
    const [farm, other] = [await addFarm(admin, world.site), await addSite(admin)];
    const moved = await admin(`PATCH ${path}/${farm.id}`, { site_id: other.id });
    expect(moved.body).toMatchObject({ site_id: other.id, site_name: other.name });
    for (const route of [`PATCH ${path}/${farm.id}`, `POST ${path}`]) {
      const { status, body } = await admin(route, { name: unique('farm'), site_id: unknownId });
      expect([status, body.errors]).toEqual([
        422,
        [expect.objectContaining({ pointer: '/site_id', code: 'not_found' })],
      ]);
    }
    expect((await admin(`PATCH ${path}/${farm.id}`, { site_id: null })).body.errors).toMatchObject([
      { pointer: '/site_id', code: 'required' },
    ]);
  });

  it.each([
    ['weight', 0],
    ['weight', 101],
    ['balancing', 'random'],
    ['maintenance_template_id', 'x'],
  ])('reject %s with the value %s', async (member, value) => {
    const body = { name: unique('farm'), site_id: world.site.id, [member]: value };
    const answer = await admin(`POST ${path}`, body);
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, `/${member}`]);
  });

  it('are filtered by site, state and probe status', async () => {
    const site = await addSite(admin);
    const [good, bad, off] = [
      await addFarm(admin, site),
      await addFarm(admin, site),
      await addFarm(admin, site, { enabled: false, maintenance: true }),
    ];
    const setStatus = async (farm: Json, status: 'pass' | 'fail') => {
      const node = await addDispatcher(admin, farm);
      await world.portal.db.update(dispatchers).set({ status }).where(eq(dispatchers.id, node.id));
    };
    await setStatus(good, 'pass');
    await setStatus(good, 'fail');
    await setStatus(bad, 'fail');
    const list = async (query: string) =>
      (await admin(`GET ${path}?site_id=${site.id}&${query}`)).body.items.map(({ id }: Json) => id).sort();
    expect(await list('')).toEqual([good.id, bad.id, off.id].sort());
    expect(await list('status=pass')).toEqual([good.id]);
    expect(await list('status=fail')).toEqual([bad.id]);
    expect(await list('enabled=false')).toEqual([off.id]);
    expect(await list('maintenance=true')).toEqual([off.id]);
    expect((await admin(`GET ${base}/sites/${site.id}`)).body.status).toBe('pass');
    expect((await admin(`GET ${base}/sites/${site.id}/farms?status=fail&count=exact`)).body.total).toBe(1);
  });

  it('with nodes cannot be deleted', async () => {
    const farm = await addFarm(admin, world.site);
    const node = await addDispatcher(admin, farm);
    const { status, body } = await admin(`DELETE ${path}/${farm.id}`);
    expect([status, body.references]).toEqual([409, [{ type: 'dispatcher', id: node.id, name: node.name }]]);
    expect((await admin(`GET ${path}/${farm.id}`)).body.dispatchers_count).toBe(1);
  });

  it('keep the revision in their ETag during probes, and the rest of the tag shows the probes', async () => {
    const farm = await addFarm(admin, world.site);
    const node = await addDispatcher(admin, farm);
    const before = (await admin(`GET ${path}/${farm.id}`)).headers.get('etag') ?? '';
    await world.portal.db.update(dispatchers).set({ status: 'pass' }).where(eq(dispatchers.id, node.id));
    const after = (await admin(`GET ${path}/${farm.id}`, undefined, { 'if-none-match': before })).headers.get(
      'etag',
    );
    expect(after).not.toBe(before);
    expect((await admin(`PATCH ${path}/${farm.id}`, { weight: 5 }, { 'if-match': before })).status).toBe(200);
  });
});
