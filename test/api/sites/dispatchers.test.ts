import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  addDispatcher,
  addFarm,
  addNode,
  adminOf,
  audited,
  base,
  startWorld,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/dispatchers`;
const world = useWorld();
const admin = adminOf(world);

const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const { caPem: pem } = await createAuthority();
const body = (given: object = {}) => ({
  name: unique('node'),
  farm_id: world.farm.id,
  url: 'https://node.example.com',
  ...given,
});
const stored = async ({ id }: Json) =>
  (await world.portal.db.select().from(dispatchers).where(eq(dispatchers.id, id)))[0];

describe('dispatchers', () => {
  it('have every property in their answers, with defaults, and no node is called', async () => {
    const sent = body();
    const made = (await admin(`POST ${path}`, sent)).body;
    expect(made).toEqual({
      ...sent,
      id: made.id,
      kind: 'dispatcher',
      enabled: true,
      priority: 1,
      verify_tls: true,
      ca_certificate: null,
      health_key: null,
      health_key_set: false,
      account_hold: null,
      sends_client_address: false,
      account_domain: null,
      account_name: null,
      account_password: null,
      account_password_set: false,
      public_url: null,
      capabilities: expect.arrayContaining(['messages', 'paged_lists', 'health_key']),
      timeout_ms: 5_000,
      farm_name: world.farm.name,
      site_id: world.site.id,
      site_name: world.site.name,
      version: null,
      status: 'unknown',
      state: 'unknown',
      circuit: 'closed',
      last_check_at: null,
      last_error: null,
      response_time_ms: null,
      certificate: null,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it.each([
    'http://node.example.com',
    'ftp://node.example.com',
    'file:///etc/passwd',
    'node.example.com',
    'https://',
    'https:node.example.com',
    'https://admin:secret@node.example.com',
    'https://node.example.com/#x',
    'https://node.example.com/?x=1',
    'https://node.example.com\\@evil.example',
    'https://10.0.0.1',
    'https://192.168.1.1:8443',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]',
    'https://[::1]',
    'https://0.0.0.0',
    'https://167772161',
    'https://0xa000001',
    'https://[::ffff:10.0.0.1]',
    'https://localhost.@node.example.com',
  ])('reject the address %s in POST, PUT and PATCH', async (url) => {
    const node = await addDispatcher(admin, world.farm);
    for (const [route, sent] of [
      [`POST ${path}`, body({ url })],
      [`PUT ${path}/${node.id}`, { ...node, url }],
      [`PATCH ${path}/${node.id}`, { url }],
    ] as const) {
      const answer = await admin(route, sent);
      expect([route, answer.status]).toEqual([route, 422]);
      expect(answer.body.errors).toMatchObject([{ pointer: '/url', code: 'address_not_allowed' }]);
    }
    expect((await admin(`GET ${path}/${node.id}`)).body.url).toBe(node.url);
  });

  it('accept an address in an allowed network, and the error names the variable that allows others', async () => {
    expect((await admin(`POST ${path}`, body({ url: 'https://127.0.0.1:8443/' }))).body.url).toBe(
      'https://127.0.0.1:8443',
    );
    const refused = await admin(`POST ${path}`, body({ url: 'https://10.0.0.1' }));
    expect(refused.body.errors[0].detail).toContain('ALLOWED_PRIVATE_NETWORKS');
  });

  it('are called without certificate verification only where the installation allows it', async () => {
    const refused = await admin(`POST ${path}`, body({ verify_tls: false }));
    expect(refused.body.errors).toMatchObject([{ pointer: '/verify_tls', code: 'not_allowed' }]);
    const lax = await startWorld({ allowInsecure: true });
    const node = await addDispatcher(lax.admin, lax.farm, { verify_tls: false });
    expect(node.verify_tls).toBe(false);
    await lax.portal.close();
  });

  it.each([
    ['timeout_ms', 499],
    ['timeout_ms', 20_001],
    ['kind', 'other'],
    ['ca_certificate', 'no certificate'],
    ['ca_certificate', pem.slice(0, -20)],
    ['ca_certificate', pem.replace('MII', 'MI!')],
    ['health_key', ''],
    ['farm_id', 'x'],
    ['status', 'pass'],
  ])('reject or ignore %s with the value %j', async (member, value) => {
    const answer = await admin(`POST ${path}`, body({ [member]: value }));
    if (member === 'status') expect(answer.body.status).toBe('unknown');
    else expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, `/${member}`]);
  });

  it('belong to an existing farm', async () => {
    const node = await addDispatcher(admin, world.farm);
    for (const [route, sent] of [
      [`POST ${path}`, body({ farm_id: unknownId })],
      [`PATCH ${path}/${node.id}`, { farm_id: unknownId }],
    ] as const)
      expect((await admin(route, sent)).body.errors).toMatchObject([
        { pointer: '/farm_id', code: 'not_found' },
      ]);
  });

  it('are found by name and address in any case, and by farm, site, state and status', async () => {
    const farm = await addFarm(admin, world.site);
    const host = unique('Host').toUpperCase();
    const node = await addDispatcher(admin, farm, { url: `https://${host}.example.com`, enabled: false });
    await addDispatcher(admin, farm);
    const list = async (query: string) => (await admin(`GET ${path}?farm_id=${farm.id}&${query}`)).body.items;
    expect(await list(`search=${host.toLowerCase()}`)).toHaveLength(1);
    expect(await list(`search=${host}`)).toHaveLength(1);
    expect(await list(`site_id=${world.site.id}`)).toHaveLength(2);
    expect(await list('enabled=false')).toMatchObject([{ id: node.id }]);
    expect(await list('status=fail')).toEqual([]);
    const nested = await admin(`GET ${base}/farms/${farm.id}/dispatchers?sort=-priority&count=exact`);
    expect(nested.body.total).toBe(2);
  });
});

describe('the health key of a dispatcher', () => {
  it('is never returned, is sealed in its row, and is in no audit event and no log', async () => {
    const key = unique('secret');
    const { result: node, events } = await audited(world.portal, () =>
      addDispatcher(admin, world.farm, { health_key: key }),
    );
    expect(node).toMatchObject({ health_key: null, health_key_set: true });
    expect(events[0]?.changes).toContainEqual({ field: 'health_key', before: null, after: '***' });
    const row = await stored(node);
    expect(row?.health_key).toMatch(/^[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    expect(JSON.stringify([row, events, world.portal.log])).not.toContain(key);
    const place = { table: 'dispatchers', row: node.id, column: 'health_key' };
    const { sealer } = world.portal.deps;
    expect(await sealer.open(row?.health_key ?? '', place)).toBe(key);
    await expect(sealer.open(row?.health_key ?? '', { ...place, row: unknownId })).rejects.toThrow();
  });

  it('stays when a write omits it or has null, and changes when it is sent', async () => {
    const node = await addDispatcher(admin, world.farm, { health_key: 'first' });
    const before = (await stored(node))?.health_key;
    const { health_key: _, ...without } = node;
    await admin(`PUT ${path}/${node.id}`, without);
    await admin(`PUT ${path}/${node.id}`, node);
    await admin(`PATCH ${path}/${node.id}`, { priority: 9 });
    expect((await stored(node))?.health_key).toBe(before);
    const { events } = await audited(world.portal, () =>
      admin(`PATCH ${path}/${node.id}`, { health_key: 'second' }),
    );
    expect(events[0]?.changes).toEqual([{ field: 'health_key', before: null, after: '***' }]);
    expect((await stored(node))?.health_key).not.toBe(before);
  });

  it('is kept when a row of an earlier version gets the present spelling of its address', async () => {
    const node = await addDispatcher(admin, world.farm, { health_key: 'first' });
    await world.portal.db
      .update(dispatchers)
      .set({ url: 'https://Node.Example.com.:443' })
      .where(eq(dispatchers.id, node.id));
    const changed = await admin(`PATCH ${path}/${node.id}`, { priority: 2 });
    expect([changed.status, changed.body.url, changed.body.health_key_set]).toEqual([
      ...[200, 'https://node.example.com', true],
    ]);
  });

  it.each([
    ['host', { url: 'https://elsewhere.example.com' }],
    ['port', { url: 'https://node.example.com:8443' }],
    ['certificate', { ca_certificate: pem }],
  ])('must be sent again when the %s changes', async (_, change) => {
    const node = await addDispatcher(admin, world.farm, { health_key: 'first' });
    for (const [route, sent] of [
      [`PATCH ${path}/${node.id}`, change],
      [`PUT ${path}/${node.id}`, { ...node, ...change }],
    ] as const) {
      const { status, body: problem } = await admin(route, sent);
      expect([status, problem.code, problem.errors]).toEqual([
        422,
        'secret_required',
        [expect.objectContaining({ pointer: '/health_key', code: 'required' })],
      ]);
    }
    expect((await admin(`PATCH ${path}/${node.id}`, { ...change, health_key: 'again' })).status).toBe(200);
  });

  it('is not required without a stored one, or when the destination does not change', async () => {
    const keyless = await addDispatcher(admin, world.farm);
    expect(
      (await admin(`PATCH ${path}/${keyless.id}`, { url: 'https://elsewhere.example.com' })).status,
    ).toBe(200);
    const node = await addDispatcher(admin, world.farm, { health_key: 'first' });
    expect((await admin(`PATCH ${path}/${node.id}`, { url: `${node.url}/` })).status).toBe(200);
    expect((await admin(`PATCH ${path}/${node.id}`, { timeout_ms: 900 })).status).toBe(200);
  });
});

describe('the probe results of a dispatcher', () => {
  it('are deleted when its destination changes, and kept otherwise', async () => {
    const node = await addDispatcher(admin, world.farm);
    const domains = [{ authUuid: unknownId, authSmallName: 'corp', auth: 'Corp' }];
    const seen = {
      status: 'pass',
      version: '7.0',
      response_time_ms: 5,
      domains,
      domains_at: new Date(),
    } as const;
    await world.portal.db.update(dispatchers).set(seen).where(eq(dispatchers.id, node.id));
    const kept = await admin(`PATCH ${path}/${node.id}`, { priority: 2 });
    expect(kept.body).toMatchObject({ status: 'pass', version: '7.0', response_time_ms: 5 });
    const moved = await admin(`PATCH ${path}/${node.id}`, { url: 'https://elsewhere.example.com' });
    expect(moved.body).toMatchObject({ status: 'unknown', version: null, response_time_ms: null });
    expect(await stored(node)).toMatchObject({ domains: null, domains_at: null });
  });
});

describe('the session keys of a dispatcher', () => {
  it('are deleted when its address changes, and kept otherwise', async () => {
    const { simulator, dispatcher } = await addNode(world, world.farm);
    const kept = async () => {
      await world.portal.settled();
      const rows = world.portal.db.select().from(dispatcherSessions);
      return rows.where(eq(dispatcherSessions.dispatcher_id, dispatcher.id));
    };
    const authorize = () => admin('POST /api/auth/v7.0/jwtauth', { dispatcher_id: dispatcher.id });
    expect((await authorize()).status).toBe(200);
    expect(await kept()).toHaveLength(1);
    await admin(`PATCH ${path}/${dispatcher.id}`, { priority: 4 });
    expect(await kept()).toHaveLength(1);
    await admin(`PATCH ${path}/${dispatcher.id}`, { url: 'https://127.0.0.1:1' });
    expect(await kept()).toEqual([]);
    await admin(`PATCH ${path}/${dispatcher.id}`, { url: simulator.url });
    await authorize();
    expect(await kept()).toHaveLength(1);
    await admin(`DELETE ${path}/${dispatcher.id}`);
    expect(await kept()).toEqual([]);
    await simulator.close();
  });
});
