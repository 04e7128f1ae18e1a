import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import {
  addGateway,
  addMember,
  addSite,
  adminOf,
  audited,
  base,
  gatewayBody,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/gateways`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const world = useWorld();
const admin = adminOf(world);

async function rowOf({ id }: Json) {
  const [row] = await world.portal.db.select().from(gateways).where(eq(gateways.id, id));
  if (!row) throw new Error('the gateway is gone');
  return row;
}

/** The row that a heartbeat writes, this many seconds ago. */
const heartbeatFields = (
  { id }: Json,
  secondsAgo: number,
  stats = { connections: 3, sent: 5_000_000_000, received: 7 },
) =>
  world.portal.db
    .update(gateways)
    .set({ last_seen_at: new Date(Date.now() - secondsAgo * 1000), version: '2.1', stats })
    .where(eq(gateways.id, id));

describe('gateways', () => {
  it('have every property in their answers, with defaults', async () => {
    const body = gatewayBody();
    const made = (await admin(`POST ${path}`, body)).body;
    expect(made).toEqual({
      ...body,
      id: made.id,
      port: 443,
      protocols: ['rdp', 'spice'],
      sites: [],
      networks: [],
      priority: 1,
      enabled: true,
      maintenance: false,
      client_address: 'family',
      byte_counters: 'tunnel',
      token: expect.stringMatching(/^[\w-]{48}$/),
      token_set: true,
      state: 'unknown',
      status: 'unknown',
      version: null,
      last_seen_at: null,
      last_used_at: null,
      stats: { connections: 0, sent: 0, received: 0 },
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('return their token at creation only, and only its digest is stored', async () => {
    const made = await addGateway(admin);
    const row = await rowOf(made);
    expect(row.token_hash).toBe(sha256(made.token));
    expect(JSON.stringify(row)).not.toContain(made.token);
    const later = [
      await admin(`GET ${path}/${made.id}`),
      await admin(`PATCH ${path}/${made.id}`, { priority: 2 }),
      await admin(`PATCH ${path}/${made.id}`, { rotate_token: false }),
      await admin(`PATCH ${path}/${made.id}`, { rotate_token: null }),
      await admin(`PUT ${path}/${made.id}`, made),
    ];
    for (const { status, body } of later)
      expect([status, body.token, body.token_set]).toEqual([200, null, true]);
    const listed = await admin(`GET ${path}?search=${made.name}`);
    expect(listed.body.items).toMatchObject([{ id: made.id, token: null, token_set: true }]);
    expect((await rowOf(made)).token_hash).toBe(row.token_hash);
  });

  it('get another token by rotation, shown in that answer, and the previous one is rejected', async () => {
    const made = await addGateway(admin);
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${path}/${made.id}`, { rotate_token: true, priority: 3 }),
    );
    expect(result.body).toMatchObject({ priority: 3, token: expect.stringMatching(/^[\w-]{48}$/) });
    expect(result.body.token).not.toBe(made.token);
    expect((await rowOf(made)).token_hash).toBe(sha256(result.body.token));
    expect((await admin(`GET ${path}/${made.id}`)).body.token).toBeNull();
    expect(events.map(({ changes }) => changes.map(({ field }) => field).sort())).toEqual([
      ['priority', 'token'],
    ]);
    expect(JSON.stringify(events)).not.toContain(result.body.token);
  });

  it('accept no token in a request, and rotate only by PATCH', async () => {
    const made = (await admin(`POST ${path}`, gatewayBody({ token: 'mine', token_set: false }))).body;
    expect(made.token).toMatch(/^[\w-]{48}$/);
    await admin(`PATCH ${path}/${made.id}`, { token: 'mine' });
    expect((await rowOf(made)).token_hash).toBe(sha256(made.token));
    const refused = [
      await admin(`POST ${path}`, gatewayBody({ rotate_token: true })),
      await admin(`PUT ${path}/${made.id}`, { ...made, rotate_token: true }),
      await admin(`PATCH ${path}/${made.id}`, { rotate_token: 'yes' }),
    ];
    for (const { status, body } of refused)
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '/rotate_token' }]]);
  });

  it.each([
    ['gw.example.com', 'gw.example.com'],
    [' GW_1. ', 'gw_1'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com'],
    ['шлюз.рф', 'xn--g1ah2bza.xn--p1ai'],
    ['10.1.2.3', '10.1.2.3'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['::1', '::1'],
  ])('store the host "%s" as "%s"', async (host, stored) => {
    const made = await addGateway(admin, { host });
    expect(made.host).toBe(stored);
    const { events } = await audited(world.portal, () =>
      admin(`PUT ${path}/${made.id}`, { ...made, host, priority: 5 }),
    );
    expect(events.map(({ changes }) => changes.map(({ field }) => field))).toEqual([['priority']]);
  });

  it.each([
    '',
    'https://gw.example.com',
    'gw.example.com:443',
    'gw.example.com/path',
    'user@gw.example.com',
    'gw..example.com',
    '-gw.example.com',
    'gw.example.com..',
    'a b',
    '10.1.2.256',
    '10.1.2',
    '0x7f.1',
    '[gw.example.com]',
    'fe80::1%eth0',
    `${'a'.repeat(64)}.com`,
    `${'abcdefgh.'.repeat(29)}com`,
  ])('reject the host "%s"', async (host) => {
    const { status, body } = await admin(`POST ${path}`, gatewayBody({ host }));
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/host']);
  });

  it.each([
    [{ port: 0 }, '/port'],
    [{ port: 65_536 }, '/port'],
    [{ protocols: ['rdp', 'vnc'] }, '/protocols/1'],
    [{ protocols: [] }, '/protocols'],
    [{ networks: ['10.0.0.0/8', '10.0.0.0/33'] }, '/networks/1'],
    [{ networks: ['10.0.0.1'] }, '/networks/0'],
    [{ networks: ['10.1/8'] }, '/networks/0'],
    [{ networks: ['fe80::%1/64'] }, '/networks/0'],
    [{ networks: ['everywhere'] }, '/networks/0'],
    [{ sites: ['nobody'] }, '/sites/0'],
    [{ sites: [unknownId] }, '/sites'],
  ])('reject %j', async (given, pointer) => {
    const { status, body } = await admin(`POST ${path}`, gatewayBody(given));
    expect([status, body.errors?.map((error: Json) => error.pointer)]).toEqual([422, [pointer]]);
  });

  it('store networks and protocols as sets', async () => {
    const networks = ['2001:db8::/32', '10.0.0.0/8', '10.0.0.0/8'];
    const made = await addGateway(admin, { networks, protocols: ['spice', 'rdp', 'rdp'] });
    expect([made.networks, made.protocols]).toEqual([
      ['10.0.0.0/8', '2001:db8::/32'],
      ['rdp', 'spice'],
    ]);
    const { events } = await audited(world.portal, () =>
      admin(`PATCH ${path}/${made.id}`, { networks: [...made.networks].reverse() }),
    );
    expect(events).toMatchObject([{ action: 'update', changes: [] }]);
  });

  it('are online while heartbeats arrive, and offline a minute after the last', async () => {
    const made = await addGateway(admin);
    const etag = (await admin(`GET ${path}/${made.id}`)).headers.get('etag') ?? '';
    await heartbeatFields(made, 30);
    const seen = await admin(`GET ${path}/${made.id}`, undefined, { 'if-none-match': etag });
    expect(seen.body).toMatchObject({
      state: 'online',
      version: '2.1',
      last_seen_at: expect.stringMatching(/Z$/),
      stats: { connections: 3, sent: 5_000_000_000, received: 7 },
    });
    await heartbeatFields(made, 70);
    expect((await admin(`GET ${path}/${made.id}`)).body.state).toBe('offline');
    const changed = await admin(`PATCH ${path}/${made.id}`, { maintenance: true }, { 'if-match': etag });
    expect(changed.status).toBe(200);
  });

  it('are filtered by site, state and whether they are enabled', async () => {
    const prefix = unique('filtered');
    const site = await addSite(admin);
    await addGateway(admin, { name: `${prefix} a`, sites: [site.id, world.site.id] });
    const b = await addGateway(admin, { name: `${prefix} b`, enabled: false });
    const c = await addGateway(admin, { name: `${prefix} c`, sites: [world.site.id] });
    await heartbeatFields(b, 1);
    await heartbeatFields(c, 3600);
    const list = async (query: string) =>
      (await admin(`GET ${path}?search=${prefix}&${query}`)).body.items
        .map(({ name }: Json) => name.slice(-1))
        .join('');
    expect(await list(`site_id=${site.id}`)).toBe('a');
    expect(await list(`site_id=${world.site.id}`)).toBe('ac');
    expect(await list(`site_id=${unknownId}`)).toBe('');
    expect(await list('enabled=false')).toBe('b');
    expect(await list('state=unknown')).toBe('a');
    expect(await list('state=online')).toBe('b');
    expect(await list('state=offline')).toBe('c');
    expect((await admin(`GET ${path}?state=asleep`)).body.errors).toMatchObject([{ pointer: '?state' }]);
  });

  it('are listed by the sites that they serve, and prevent the deletion of these sites', async () => {
    const site = await addSite(admin);
    const made = await addGateway(admin, { sites: [site.id, site.id.toUpperCase()] });
    expect(made.sites).toEqual([site.id]);
    expect((await admin(`GET ${base}/sites/${site.id}`)).body.gateways).toEqual([made.id]);
    const kept = await admin(`DELETE ${base}/sites/${site.id}`);
    const reference = { type: 'gateway', id: made.id, name: made.name };
    expect([kept.status, kept.body.code, kept.body.references]).toEqual([409, 'in_use', [reference]]);
    const bulk = await admin(`POST ${base}/sites/bulk_destroy`, { ids: [site.id] });
    expect(bulk.body).toMatchObject({ deleted_count: 0, failed: [{ id: site.id, code: 'in_use' }] });
    expect((await admin(`DELETE ${path}/${made.id}`)).status).toBe(204);
    expect((await admin(`GET ${base}/sites/${site.id}`)).body.gateways).toEqual([]);
    expect((await admin(`DELETE ${base}/sites/${site.id}`)).status).toBe(204);
  });
});

describe('an administrator of one site', () => {
  it('writes the gateways of that site only, and none that also serve another site', async () => {
    const everywhere = await addGateway(admin);
    const made = await addGateway(admin, { sites: [world.site.id] });
    const { ask } = await addMember(world, permissions, [world.site.id]);
    expect((await ask(`GET ${path}/${made.id}`)).body.id).toBe(made.id);
    expect((await ask(`GET ${path}/${everywhere.id}`)).body.id).toBe(everywhere.id);
    const refused = [
      await ask(`POST ${path}`, gatewayBody()),
      await ask(`PATCH ${path}/${everywhere.id}`, { rotate_token: true }),
      await ask(`DELETE ${path}/${everywhere.id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect((await rowOf(everywhere)).token_hash).toBe(sha256(everywhere.token));
    const { body } = await ask(`PATCH ${path}/${made.id}`, { rotate_token: true });
    expect((await rowOf(made)).token_hash).toBe(sha256(body.token));
    const bulk = await ask(`PATCH ${path}/bulk_destroy`, { ids: [made.id, everywhere.id] });
    expect(bulk.body).toMatchObject({
      deleted: [made.id],
      failed: [{ id: everywhere.id, code: 'forbidden' }],
    });
  });
});
