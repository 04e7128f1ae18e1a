import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../../shared/kernel/ids.ts';
import type { CertificateKind } from '../../simulator/authority.ts';
import { endSession } from '../../simulator/data/sessions.ts';
import type { Knobs } from '../../simulator/faults.ts';
import { flap } from '../../simulator/script.ts';
import { audited, base, pool, useStand } from '../../support/factories.ts';
import type { FarmWithNode } from '../../support/fleet/rules.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { asked, keyPath, servicesOf, startFleetStand, statusesOf } from '../../support/fleet/stand.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startFleetStand);
afterEach(() => stand.clear());

const deadlineMs = 400;
/** Additional time for a busy machine. */
const graceMs = 600;
const setDeadline = (ms = deadlineMs) => stand.setParameter('aggregator.list_deadline_ms', ms);
/** A busy machine needs time to decompress as much as is allowed, and the other farm must answer in it. */
const bodyDeadlineMs = 2_000;

/** Two farms with cached lists, the second of which fails in this way. */
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

describe('a farm that hangs', () => {
  it('is named in the list of services, which is returned by the deadline with all others', async () => {
    await setDeadline();
    const { site, farms } = await westFailing({ hang: 'headers' });
    const { result, tookMs } = await timed(() => stand.list(site));
    expect([result.status, servicesOf(result)]).toEqual([200, ['East']]);
    expect(statusesOf(result, farms)).toEqual(['ok', 'timeout']);
    expect(tookMs).toBeLessThan(deadlineMs + graceMs);
  });

  it('is named in a refreshed merged list, whose other parts are new', async () => {
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

describe('an outage of all farms', () => {
  it('leaves the previous merged list with its age, and never an empty one', async () => {
    const { site, farms } = await westFailing({});
    for (const { farm } of farms) await syncAll(stand.world.portal, farm);
    for (const { node } of farms) node.simulator.knobs.reset = true;
    const { status, body } = await stand.world.admin(
      `GET ${base}/servicespools?site_id=${site.id}&refresh=true`,
    );
    expect([status, body.items.map(({ name }: Json) => name)]).toEqual([200, ['East', 'West']]);
    expect(statusesOf({ body }, farms)).toEqual(['stale', 'stale']);
    expect(body.sites.map(({ error }: Json) => error)).toEqual(Array(2).fill('upstream_failed:unreachable'));
    expect(body.sites.every(({ fetched_at }: Json) => fetched_at !== null)).toBe(true);
  });
});

describe('bodies without an end', () => {
  it.each<[string, Partial<Knobs>]>([
    ['a byte a second', { dripping: true }],
    ['a body that stops', { hang: 'body' }],
    ['a body of a gigabyte', { lies: 'huge' }],
    ['a gzip bomb', { lies: 'gzip_bomb' }],
  ])('%s is cut by deadline or size, and does not affect the other farm', async (_what, faults) => {
    await setDeadline(bodyDeadlineMs);
    const { site, farms } = await westFailing({ path: '/api/client/', ...faults });
    const { result, tookMs } = await timed(() => stand.list(site));
    expect(servicesOf(result)).toEqual(['East']);
    expect(statusesOf(result, farms)[1]).toMatch(/^(?:timeout|error)$/);
    expect(tookMs).toBeLessThan(bodyDeadlineMs + graceMs);
  });
});

describe('nodes with wrong data', () => {
  it.each<[string, Partial<Knobs>]>([
    ['HTML', { lies: 'html' }],
    ['half of its JSON', { lies: 'half_json' }],
    ['another schema', { lies: 'other_schema' }],
    ['a redirect to a metadata address', { lies: 'redirect' }],
    ['a reset', { reset: true }],
  ])('%s makes the farm an error, and does not affect the others', async (_what, faults) => {
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
  ])('a certificate that is %s makes the farm an error, and no request reaches the node', async (certificate) => {
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
  ])('a clock off by %d seconds refuses new session keys, and issued ones stay valid', async (clockSkewS) => {
    const { site, farms } = await westFailing({ clockSkewS });
    expect(servicesOf(await stand.list(site))).toEqual(['East', 'West']);
    await stand.forgetLists();
    await stand.world.portal.ownerDb.execute('truncate dispatcher_sessions');
    const shown = await stand.list(site);
    expect([shown.status, servicesOf(shown)[0], statusesOf(shown, farms)[0]]).toEqual([200, 'East', 'ok']);
  });

  it('a session key that the node has ended is renewed once, without an error for the user', async () => {
    const { site, west } = await westFailing({});
    west.node.simulator.expireKeys();
    expect(servicesOf(await stand.list(site))).toEqual(['East', 'West']);
    expect([asked(west), asked(west, keyPath)]).toEqual([2, 1]);
  });
});

describe('a farm that alternates between up and down', () => {
  it('does not affect the others, and serves again when it is up', async () => {
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

describe('a session that has ended', () => {
  type Live = { east: FarmWithNode; session: Json; sessions: () => Promise<Json[]> };

  /** A session that a user opened directly, as the list shows it. */
  async function liveSession(): Promise<Live & { site: Json }> {
    const { site, farms } = await stand.site([{ pools: [pool('East')] }]);
    const [east] = farms;
    if (!east) throw new Error('a farm was asked for');
    const id = `${east.farm.id}.${east.node.simulator.state.poolNamed('East').uuid}`;
    await stand.list(site);
    await stand.member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`);
    const sessions = async () =>
      (await stand.world.admin(`GET ${base}/spsessions?site_id=${site.id}`)).body.items;
    await syncAll(stand.world.portal, east.farm);
    const [session] = await sessions();
    return { site, east, session, sessions };
  }

  const end = ({ east: { farm }, session }: Live, verb: string) =>
    stand.world.admin(`PATCH ${base}/spsessions/${farm.id}/${verb}/${session.session_uuid}`);
  const endOnNode = ({ east: { node }, session }: Live) => {
    const { state } = node.simulator;
    const found = state.sessions.get(session.session_uuid);
    if (found) endSession(state, found);
  };
  const results = (events: Json[]) => events.map(({ result, details }) => [result, details.result]);

  it('is not in the list any more, and live ones have the time they were last seen', async () => {
    const live = await liveSession();
    expect(live.session).toMatchObject({ user: stand.member.user.name, last_seen_at: expect.any(String) });
    endOnNode(live);
    await syncAll(stand.world.portal, live.east.farm);
    expect(await live.sessions()).toEqual([]);
    const reconnect = `POST /aggregator/api/client/v7.0/${live.site.uri}/reconnect/`;
    const { session_uuid } = live.session;
    expect((await stand.member.ask(reconnect, { session_uuid })).status).toBe(404);
    expect((await stand.member.ask(reconnect, { session_uuid: newId() })).status).toBe(404);
  });

  it.each(
    ['disconnect', 'logoff'].flatMap((verb) => [404, 410].map((status) => [verb, status] as const)),
  )('its %s is done when the node returns %d, the journal records that it was gone, and the row is deleted', async (verb, status) => {
    const live = await liveSession();
    if (status === 404) endOnNode(live);
    else Object.assign(live.east.node.simulator.knobs, { failing: status, path: '/api/webui/spsessions/' });
    const { result, events } = await audited(stand.world.portal, () => end(live, verb));
    expect([result.status, result.body, await live.sessions()]).toEqual([200, { result: 'gone' }, []]);
    expect(results(events)).toEqual([['success', 'gone']]);
    expect(events[0]).toMatchObject({ action: verb, object_id: live.session.session_uuid });
    expect((await end(live, verb)).status).toBe(404);
    expect((await stand.circuitOf(live.east)).circuit_failures).toBe(0);
  });

  it('is ended once by concurrent requests, none of which fails', async () => {
    const live = await liveSession();
    live.east.node.simulator.knobs.latencyMs = 30;
    const work = () => Promise.all(Array.from({ length: 5 }, () => end(live, 'logoff')));
    const { result, events } = await audited(stand.world.portal, work);
    const statuses = result.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(1);
    expect(statuses.filter((status) => ![202, 200, 404].includes(status))).toEqual([]);
    expect(results(events).filter(([, said]) => said !== 'gone')).toEqual([['success', undefined]]);
    expect(await live.sessions()).toEqual([]);
  });
});
