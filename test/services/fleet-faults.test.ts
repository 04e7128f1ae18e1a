import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../shared/kernel/ids.ts';
import type { CertificateKind } from '../simulator/authority.ts';
import type { Knobs } from '../simulator/faults.ts';
import { flap } from '../simulator/script.ts';
import { base, pool } from '../support/factories.ts';
import {
  asked,
  type FleetStand,
  keyPath,
  servicesOf,
  startFleetStand,
  statusesOf,
} from '../support/fleet-stand.ts';
import type { Json } from '../support/portal.ts';
import type { FarmWithNode } from '../support/rules.ts';
import { syncAll } from '../support/snapshot.ts';

let stand: FleetStand;
beforeAll(async () => {
  stand = await startFleetStand();
});
afterAll(() => stand.close());
afterEach(() => stand.clear());

const deadlineMs = 400;
/** What a loaded machine may need besides. */
const graceMs = 600;
const setDeadline = () => stand.setParameter('aggregator.list_deadline_ms', deadlineMs);

/** Two farms that everybody knows already, the second of which fails so. */
async function westFailing(
  faults: Partial<Knobs>,
): Promise<{ site: Json; farms: FarmWithNode[]; west: FarmWithNode }> {
  const { site, farms } = await stand.site([{ pools: [pool('East')] }, { pools: [pool('West')] }]);
  const [, west] = farms;
  if (!west) throw new Error('two farms were asked for');
  await stand.list(site);
  await stand.forgetLists();
  Object.assign(west.node.simulator.knobs, faults);
  west.node.simulator.resetCalls();
  return { site, farms, west };
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; tookMs: number }> {
  const started = performance.now();
  return { result: await work(), tookMs: performance.now() - started };
}

describe('F1 a farm that hangs', () => {
  it('F1 is named in the services list, which is there by the deadline with all others', async () => {
    await setDeadline();
    const { site, farms } = await westFailing({ hang: 'headers' });
    const { result, tookMs } = await timed(() => stand.list(site));
    expect([result.status, servicesOf(result)]).toEqual([200, ['East']]);
    expect(statusesOf(result, farms)).toEqual(['ok', 'timeout']);
    expect(tookMs).toBeLessThan(deadlineMs + graceMs);
  });

  it('F1 is named in a merged list that is read anew, whose other parts are new', async () => {
    const { site, farms, west } = await westFailing({});
    for (const { farm } of farms) await syncAll(stand.world.portal, farm);
    await setDeadline();
    west.node.simulator.knobs.hang = 'headers';
    const ask = () => stand.world.admin(`GET ${base}/workplaces?site_id=${site.id}&refresh=true`);
    const { result, tookMs } = await timed(ask);
    expect([result.status, result.body.items.length]).toEqual([200, 6]);
    expect(statusesOf(result, farms)).toEqual(['ok', 'stale']);
    expect(tookMs).toBeLessThan(deadlineMs + graceMs);
  });
});

describe('F2 all farms down', () => {
  it('F2 a merged list shows what there was, with its age, and never that there is nothing', async () => {
    const { site, farms } = await westFailing({});
    for (const { farm } of farms) await syncAll(stand.world.portal, farm);
    for (const { node } of farms) node.simulator.knobs.reset = true;
    const { status, body } = await stand.world.admin(
      `GET ${base}/servicespools?site_id=${site.id}&refresh=true`,
    );
    expect([status, body.items.map(({ name }: Json) => name)]).toEqual([200, ['East', 'West']]);
    expect(statusesOf({ body }, farms)).toEqual(['error', 'error']);
    expect(body.sites.every(({ fetched_at }: Json) => fetched_at !== null)).toBe(true);
  });
});

describe('F3 bodies that do not end', () => {
  it.each<[string, Partial<Knobs>]>([
    ['a byte a second', { dripping: true }],
    ['a body that stops', { hang: 'body' }],
    ['a body of a gigabyte', { lies: 'huge' }],
    ['a gzip bomb', { lies: 'gzip_bomb' }],
  ])('F3 %s is cut by deadline or size, and costs the other farm nothing', async (_what, faults) => {
    await setDeadline();
    const { site, farms } = await westFailing({ path: '/api/client/', ...faults });
    const { result, tookMs } = await timed(() => stand.list(site));
    expect(servicesOf(result)).toEqual(['East']);
    expect(statusesOf(result, farms)[1]).toMatch(/^(?:timeout|error)$/);
    expect(tookMs).toBeLessThan(deadlineMs + graceMs);
  });
});

describe('F4 nodes that lie', () => {
  it.each<[string, Partial<Knobs>]>([
    ['HTML', { lies: 'html' }],
    ['half of its JSON', { lies: 'half_json' }],
    ['another schema', { lies: 'other_schema' }],
    ['a redirect to a metadata address', { lies: 'redirect' }],
    ['a reset', { reset: true }],
  ])('F4 %s makes the farm an error, and the others are fine', async (_what, faults) => {
    const { site, farms } = await westFailing(faults);
    const shown = await stand.list(site);
    expect([shown.status, servicesOf(shown), statusesOf(shown, farms)]).toEqual([
      200,
      ['East'],
      ['ok', 'error'],
    ]);
    expect(shown.body.sites.map(({ error }: Json) => error).filter(Boolean)).toEqual(['upstream_failed']);
    expect(JSON.stringify(shown.body)).not.toMatch(/127\.0\.0\.1|169\.254|It works/);
  });

  it.each<CertificateKind>([
    'expired',
    'wrong_name',
    'self_signed',
    'unknown_ca',
  ])('F4 a certificate that is %s makes the farm an error, and no request reaches the node', async (certificate) => {
    const { site, farms } = await stand.site([
      { pools: [pool('East')] },
      { pools: [pool('West')], simulator: { certificate } },
    ]);
    const shown = await stand.list(site);
    expect([servicesOf(shown), statusesOf(shown, farms)]).toEqual([['East'], ['ok', 'error']]);
    expect(shown.body.sites.map(({ error }: Json) => error).filter(Boolean)).toEqual(['upstream_tls']);
    expect(farms[1]?.node.simulator.calls).toEqual([]);
  });

  it.each([
    600, -600,
  ])('F4 a clock off by %d seconds refuses new keys; the keys it gave go on', async (clockSkewS) => {
    const { site, farms } = await westFailing({ clockSkewS });
    expect(servicesOf(await stand.list(site))).toEqual(['East', 'West']);
    await stand.forgetLists();
    await stand.world.portal.db.execute('truncate dispatcher_sessions');
    const shown = await stand.list(site);
    expect([shown.status, servicesOf(shown)[0], statusesOf(shown, farms)[0]]).toEqual([200, 'East', 'ok']);
  });

  it('F4 a key that the node has ended is renewed once, and the user notices nothing', async () => {
    const { site, west } = await westFailing({});
    west.node.simulator.expireKeys();
    expect(servicesOf(await stand.list(site))).toEqual(['East', 'West']);
    expect([asked(west), asked(west, keyPath)]).toEqual([2, 1]);
  });
});

describe('F5 a farm that flaps', () => {
  it('F5 never costs the others anything, and serves again when it is well', async () => {
    await stand.setParameter('aggregator.breaker_probe_s', 1);
    const { site, farms, west } = await westFailing({});
    const flapping = flap(west.node.simulator.knobs, 150, { failing: 503 });
    const until = performance.now() + 2_500;
    while (performance.now() < until) {
      const shown = await stand.list(site, stand.world.portal.isolate());
      expect([shown.status, servicesOf(shown)[0], statusesOf(shown, farms)[0]]).toEqual([200, 'East', 'ok']);
      await stand.forgetLists();
    }
    flapping.stop();
    west.node.simulator.knobs.failing = null;
    const both = async () => servicesOf(await stand.list(site));
    await expect.poll(both, { timeout: 10_000, interval: 200 }).toEqual(['East', 'West']);
  }, 30_000);
});

describe('F9 a session that has gone', () => {
  it('F9 is not in the list any more; those that live tell when they were last seen', async () => {
    const { site, farms } = await stand.site([{ pools: [pool('East')] }]);
    const [east] = farms;
    if (!east) throw new Error('a farm was asked for');
    const id = `${east.farm.id}.${east.node.simulator.state.poolNamed('East').uuid}`;
    await stand.list(site);
    await stand.member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`);
    const sessions = async () => {
      await syncAll(stand.world.portal, east.farm);
      return (await stand.world.admin(`GET ${base}/spsessions?site_id=${site.id}`)).body.items;
    };
    const [live] = await sessions();
    expect(live).toMatchObject({ user: stand.member.user.name, last_seen_at: expect.any(String) });
    east.node.simulator.state.sessions.remove(live.session_uuid);
    expect(await sessions()).toEqual([]);
    const again = await stand.member.ask(`POST /aggregator/api/client/v7.0/${site.uri}/reconnect/`, {
      session_uuid: newId(),
    });
    expect(again.status).toBe(404);
  });
});
