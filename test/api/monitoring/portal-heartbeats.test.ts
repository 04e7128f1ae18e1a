import { beforeAll, describe, expect, it } from 'vitest';
import { installationCounts } from '../../../db/repositories/monitoring/installation-counts.ts';
import { portalReportJob } from '../../../functions/health/jobs/process/portal-report.ts';
import { createSystemSampler } from '../../../functions/health/system-sampler.ts';
import { noteEdgePortal } from '../../../shared/portals/report.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { addMember, base, unique, useWorld } from '../../support/factories.ts';
import {
  addPeer,
  claimsOf,
  createSigner,
  exchange,
  type Peer,
  signHeartbeat,
  startKeyServer,
} from '../../support/identity/peers.ts';
import { type Answer, baseUrl, type Json, type TestPortal } from '../../support/portal.ts';

const path = '/api/aggregator/v7.0/portals';
const aud = `${baseUrl}${path}/heartbeat`;
const listed = `${base}/appnodes/portals`;

const world = useWorld();
let portal: TestPortal;
let peer: Peer;

beforeAll(async () => {
  portal = world.portal;
  peer = await addPeer(world.admin);
});

const reportBody = (given: object = {}) => ({
  name: unique('portal'),
  fqdn: 'portal.example.com',
  portal_type: 'user',
  runtime: 'workers',
  version: '7.0',
  started_at: '2026-11-21T08:00:00Z',
  ...given,
});
const bring = (token: unknown, options: object = {}) =>
  portal.send(`POST ${path}/heartbeat`, { body: { token }, ...options });
/** By a key of this installation. */
const bringOwn = async (report: unknown, audience = aud) => {
  return bring(await signHeartbeat(portal, { aud: audience, portal: report }));
};
const bringOf = async ({ peer: from, signer }: Peer, report: unknown, given: object = {}) =>
  bring(
    await signer.sign(claimsOf(portal, from, { aud, portal: report, ...given }), { typ: 'heartbeat+jwt' }),
  );
const rowOf = async (name: string): Promise<Json> =>
  (await world.admin(`GET ${listed}?search=${encodeURIComponent(name)}`)).body.items[0];
const outcome = ({ status, body }: Answer) => [status, body.code ?? body.result];

describe('a portal heartbeat', () => {
  it('of this installation lists the portal with the reported values', async () => {
    const report = reportBody({
      os: 'workerd',
      build: '7.0.1',
      metrics: { sites_count: 3, cpu_total_percent: null },
    });
    const { status, body } = await bringOwn(report);
    expect([status, body]).toEqual([200, { result: 'ok', name: report.name, expires_in: 150 }]);
    const row = await rowOf(report.name);
    expect(row).toMatchObject({
      name: report.name,
      fqdn: 'portal.example.com',
      portal_type: 'user',
      runtime: 'workers',
      version: '7.0',
      os: 'workerd',
      state: 'online',
    });
    const metrics = await world.admin(`PATCH ${listed}/${row.id}/metrics`);
    expect(metrics.body).toEqual({ sites_count: 3, cpu_total_percent: null });
  });

  it('with a wrong clock does not change the list', async () => {
    for (const [started_at, uptime_s] of [
      ['0001-01-01T00:00:00Z', 2_147_483_647],
      ['9999-12-31T23:59:59Z', 0],
    ]) {
      const report = reportBody({ started_at });
      expect(outcome(await bringOf(peer, report))).toEqual([200, 'ok']);
      expect((await world.admin(`GET ${listed}`)).status).toBe(200);
      expect(await rowOf(report.name)).toMatchObject({ uptime_s });
    }
  });

  it('may be repeated, and keeps id and tags', async () => {
    const report = reportBody();
    await bringOwn(report);
    const before = await rowOf(report.name);
    await world.admin(`PATCH ${listed}/${before.id}/tags`, { tags: ['blue'] });
    expect(outcome(await bringOwn({ ...report, version: '7.1', name: report.name.toUpperCase() }))).toEqual([
      200,
      'ok',
    ]);
    expect(await rowOf(report.name)).toMatchObject({ id: before.id, tags: ['blue'], version: '7.1' });
  });

  it('of a peer is listed under the name of the peer, and cannot replace another portal', async () => {
    const report = reportBody({ runtime: 'node' });
    await bringOwn({ ...report, fqdn: 'ours.example.com' });
    const { status, body } = await bringOf(peer, report);
    const name = `${peer.peer.name}/${report.name}`;
    expect([status, body]).toEqual([200, { result: 'ok', name, expires_in: 60 }]);
    expect((await rowOf(name)).fqdn).toBe('portal.example.com');
    expect((await rowOf(report.name)).name).toBe(name);
    const { body: all } = await world.admin(`GET ${listed}?search=${report.name}&sort=name`);
    expect(all.items.map(({ fqdn }: Json) => fqdn).sort()).toEqual([
      'ours.example.com',
      'portal.example.com',
    ]);
    const split = await bringOf(peer, { ...report, name: `x/${report.name}` });
    expect([split.status, split.body.errors[0].pointer]).toEqual([422, '/token/portal/name']);
  });

  it('of a peer is verified by its published keys', async () => {
    const signer = await createSigner();
    const server = await startKeyServer(await createAuthority(), { keys: [signer.jwk] });
    const publishing = await addPeer(world.admin, [], { signer, ...server.source });
    expect(outcome(await bringOf(publishing, reportBody()))).toEqual([200, 'ok']);
    const stranger = { ...publishing, signer: await createSigner() };
    expect(outcome(await bringOf(stranger, reportBody()))).toEqual([401, 'invalid_token']);
    await server.close();
  });

  it('ignores unknown properties and treats null as absent', async () => {
    const report = reportBody({ os: null, build: null, metrics: null, colour: 'red' });
    const token = await signHeartbeat(portal, { aud, portal: report, more: true });
    const { status } = await portal.send(`POST ${path}/heartbeat`, { body: { token, colour: 'red' } });
    expect([status, (await rowOf(report.name)).os]).toEqual([200, '']);
  });

  it.each([
    ['/token/portal/name', { name: '' }],
    ['/token/portal/name', { name: 'two\nlines' }],
    ['/token/portal/runtime', { runtime: 'browser' }],
    ['/token/portal/portal_type', { portal_type: undefined }],
    ['/token/portal/started_at', { started_at: 'today' }],
    ['/token/portal/metrics/sites_count', { metrics: { sites_count: 'many' } }],
  ])('is rejected at %s when the value cannot be stored', async (pointer, given) => {
    const { status, body } = await bringOwn(reportBody(given));
    expect([status, body.errors.map((fault: Json) => fault.pointer)]).toEqual([422, [pointer]]);
  });
});

describe('a portal heartbeat is refused', () => {
  it.each([
    ['that has expired', { iat: 1_000, exp: 1_060 }],
    ['for a session', { aud: baseUrl }],
    ['for another portal', { aud: 'https://other.test/api/aggregator/v7.0/portals/heartbeat' }],
    ['without jti', { jti: undefined }],
    ['of an unknown issuer', { iss: 'https://unknown.example.com' }],
    ['of a peer that says it were us', { iss: baseUrl }],
  ])('%s', async (_, given) => {
    const { status, body } = await bringOf(peer, reportBody(), given);
    expect([status, body.code, body.detail]).toEqual([401, 'invalid_token', 'The token is not valid']);
  });

  it('as a session token, and a session token is refused as a heartbeat token', async () => {
    const { signer, peer: from } = peer;
    expect(outcome(await exchange(portal, peer, { aud, portal: reportBody() }))).toEqual([
      401,
      'invalid_token',
    ]);
    expect(outcome(await bring(await signer.sign(claimsOf(portal, from, { portal: reportBody() }))))).toEqual(
      [401, 'invalid_token'],
    );
    expect(outcome(await bringOwn(reportBody(), 'north-1'))).toEqual([401, 'invalid_token']);
  });

  it('of a disabled peer', async () => {
    const other = await addPeer(world.admin);
    expect(outcome(await bringOf(other, reportBody()))).toEqual([200, 'ok']);
    const at = `/api/aggregator/v7.0/peers/${other.peer.id}`;
    expect((await world.admin(`PUT ${at}`, { ...other.peer, enabled: false })).status).toBe(200);
    expect(outcome(await bringOf(other, reportBody()))).toEqual([401, 'invalid_token']);
  });

  it('as a dry run, because it has no user', async () => {
    const report = reportBody();
    const token = await signHeartbeat(portal, { aud, portal: report });
    const { status, body } = await bring(token, { headers: { 'x-dry-run': 'true' } });
    expect([status, body.errors[0].code, await rowOf(report.name)]).toEqual([
      422,
      'not_supported',
      undefined,
    ]);
  });
});

describe('the information about the current portal', () => {
  it('is returned to signed-in users and to peers', async () => {
    const { ask } = await addMember(world, []);
    const { status, body } = await ask(`GET ${path}/self`);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id: null,
        name: 'portal-1',
        fqdn: 'portal.test',
        portal_type: 'universal',
        runtime: 'node',
        version: '7.0',
        state: 'offline',
        last_seen_at: null,
      }),
    ]);
    const { token } = (await exchange(portal, peer)).body;
    expect((await portal.send(`GET ${path}/self`, { token })).status).toBe(200);
    expect((await portal.send(`GET ${path}/self`)).status).toBe(401);
  });

  it('has the values of its heartbeats', async () => {
    await noteEdgePortal(portal.deps);
    const { body } = await world.admin(`GET ${path}/self`);
    const row = await rowOf('portal-1');
    expect(body).toMatchObject({ id: row.id, uuid: row.id, state: 'online', last_seen_at: row.last_seen_at });
  });
});

describe('the reports of portals on one database', () => {
  it('have the same values under the same names in every runtime', async () => {
    const system = createSystemSampler(() => undefined);
    await system.sample();
    const name = unique('sidecar');
    const job = portalReportJob(portal.db, { name, baseUrl, portalType: 'admin', system });
    await job.round(new AbortController().signal);
    const node = await rowOf(name);
    expect(node).toMatchObject({
      fqdn: 'portal.test',
      portal_type: 'admin',
      runtime: 'node',
      state: 'online',
    });
    const host = { ...portal.deps.host, name: unique('edge'), runtime: 'workers' } as const;
    await noteEdgePortal({ ...portal.deps, host });
    const edge = await rowOf(host.name);
    expect(edge).toMatchObject({ fqdn: 'portal.test', runtime: 'workers', state: 'online' });
    const metricsOf = async ({ id }: Json) => (await world.admin(`PATCH ${listed}/${id}/metrics`)).body;
    const [full, counted] = [await metricsOf(node), await metricsOf(edge)];
    expect(full).toMatchObject(counted);
    expect(counted.sites_count).toBe((await installationCounts(portal.db, new Date())).sites);
  });
});
