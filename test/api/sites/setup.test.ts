import { describe, expect, it } from 'vitest';
import {
  addDispatcher,
  addFarm,
  addMember,
  addSite,
  adminOf,
  audited,
  base,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/sites/setup`;
const world = useWorld();
const admin = adminOf(world);

const body = (given: { site?: object; farm?: object; dispatcher?: object } = {}) => {
  const uri = unique('site');
  return {
    site: { name: uri, uri, ...given.site },
    farm: { name: `${uri} farm`, ...given.farm },
    dispatcher: { name: `${uri}-1`, url: 'https://node.example.com/', ...given.dispatcher },
  };
};
const countAll = async (): Promise<number[]> =>
  Promise.all(
    ['sites', 'farms', 'dispatchers'].map(
      async (what) => (await admin(`GET ${base}/${what}?count=exact&limit=1`)).body.total,
    ),
  );

describe('the setup of a site', () => {
  it('creates a site, a farm and a node that belong together, each with its audit event', async () => {
    const sent = body({ dispatcher: { health_key: 'a key' } });
    const { result: answer, events } = await audited(world.portal, () => admin(`POST ${path}`, sent));
    expect(answer.status).toBe(201);
    const { site, farm, dispatcher } = answer.body;
    expect(answer.headers.get('location')).toBe(`${base}/sites/${site.id}`);
    expect(farm).toMatchObject({ ...sent.farm, site_id: site.id, site_name: site.name });
    expect(dispatcher).toMatchObject({
      ...{ farm_id: farm.id, site_id: site.id, url: 'https://node.example.com' },
      ...{ health_key: null, health_key_set: true },
    });
    for (const [what, one] of Object.entries({ sites: site, farms: farm, dispatchers: dispatcher }))
      expect((await admin(`GET ${base}/${what}/${one.id}`)).body).toMatchObject({ id: one.id });
    expect(events.map(({ object_type, action, object_id }) => [object_type, action, object_id])).toEqual([
      ['site', 'create', site.id],
      ['farm', 'create', farm.id],
      ['dispatcher', 'create', dispatcher.id],
    ]);
    expect(JSON.stringify([answer.body, events])).not.toContain('a key');
    expect((await admin('GET /api/webui/aggregator/audit/verify')).status).toBeLessThan(500);
  });

  it.each([
    ['site', async () => body({ site: { name: (await addSite(admin)).name } }), '/site/name'],
    ['uri', async () => body({ site: { uri: (await addSite(admin)).uri } }), '/site/uri'],
    ['farm', async () => body({ farm: { name: (await addFarm(admin, world.site)).name } }), '/farm/name'],
    [
      'node',
      async () => body({ dispatcher: { name: (await addDispatcher(admin, world.farm)).name } }),
      '/dispatcher/name',
    ],
  ])('creates nothing if the name of the %s is taken', async (_, prepare, pointer) => {
    const sent = await prepare();
    const before = await countAll();
    const { result: answer, events } = await audited(world.portal, () => admin(`POST ${path}`, sent));
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([409, pointer]);
    expect(await countAll()).toEqual(before);
    expect(events.filter(({ action }) => action === 'create')).toEqual([]);
  });

  it.each([
    [{ dispatcher: { url: 'https://10.0.0.1' } }, '/dispatcher/url'],
    [{ dispatcher: { verify_tls: false } }, '/dispatcher/verify_tls'],
    [{ site: { uri: 'Not a uri' } }, '/site/uri'],
    [{ farm: { weight: 0 } }, '/farm/weight'],
    [{ farm: { site_id: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' } }, '/farm/site_id'],
    [
      { site: { maintenance_template_id: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' } },
      '/site/maintenance_template_id',
    ],
    [{ site: { groups: ['01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11'] } }, '/site/groups'],
    [{ dispatcher: { name: 'a\u200bb' } }, '/dispatcher/name'],
  ])('rejects %j at its place and creates nothing', async (given, pointer) => {
    const before = await countAll();
    const answer = await admin(`POST ${path}`, body(given));
    expect([answer.status, answer.body.errors?.map((fault: Json) => fault.pointer)]).toEqual([
      422,
      [pointer],
    ]);
    expect(await countAll()).toEqual(before);
  });

  it('shows its effect in a dry run, and happens once with a key', async () => {
    const before = await countAll();
    const trial = await admin(`POST ${path}`, body(), { 'x-dry-run': 'true' });
    expect(trial.body.would.events.map(({ object_type }: Json) => object_type)).toEqual([
      'site',
      'farm',
      'dispatcher',
    ]);
    expect(await countAll()).toEqual(before);
    const sent = body();
    const once = { 'idempotency-key': unique('key') };
    const [first, second] = [
      await admin(`POST ${path}`, sent, once),
      await admin(`POST ${path}`, sent, once),
    ];
    expect([first.status, second.body.site.id]).toEqual([201, first.body.site.id]);
    expect(await countAll()).toEqual(before.map((count) => count + 1));
  });

  it('needs the permissions for all three, for all sites', async () => {
    const all = ['sites.create', 'farms.create', 'dispatchers.create'];
    const limited = await addMember(world, all, [world.site.id]);
    expect((await limited.ask(`POST ${path}`, body())).status).toBe(403);
    const partial = await addMember(world, ['sites.create', 'farms.create']);
    const answer = await partial.ask(`POST ${path}`, body());
    expect([answer.status, answer.body.detail]).toEqual([
      403,
      'Also requires dispatchers.create for all sites',
    ]);
    const full = await addMember(world, all);
    expect((await full.ask(`POST ${path}`, body())).status).toBe(201);
  });
});
