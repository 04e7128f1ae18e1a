import { afterEach, describe, expect, it } from 'vitest';
import { rules } from '../../../db/schema/routing/rules.ts';
import { base, useStand } from '../../support/factories.ts';
import { addRule } from '../../support/fleet/rules.ts';
import { startTicketStand } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startTicketStand);

afterEach(async () => {
  await stand.clear();
  // A pool that a rule covers is not listed as a service.
  await stand.world.portal.db.delete(rules);
});

const onlineGateway = async (given: Json = {}) => {
  const gateway = await stand.gateway(given);
  await stand.beat(gateway.token);
  return gateway;
};
const wayFrom = async (ip: string, query = ''): Promise<string | undefined> =>
  (await stand.connect({ ip, query })).body.gateway?.host;
const change = (gateway: Json, members: Json) =>
  stand.world.admin(`PATCH ${base}/gateways/${gateway.id}`, members);

describe('the gateway of a connection', () => {
  it('belongs to the site; without one the client connects directly', async () => {
    await onlineGateway({ sites: [stand.world.site.id] });
    const { status, body } = await stand.connect();
    expect([status, body.gateway, body.port]).toEqual([200, undefined, 3389]);
    expect(body.host).toMatch(/^10\./);
    const own = await onlineGateway();
    expect(await wayFrom('203.0.113.7')).toBe(own.host);
  });

  it('serves the network of the client', async () => {
    const office = await onlineGateway({ networks: ['10.0.0.0/8', '2001:db8:1::/48'] });
    const outside = await onlineGateway({ priority: 2 });
    const mapped = await onlineGateway({ networks: ['::ffff:192.0.2.0/120'] });
    expect(await wayFrom('10.20.30.40')).toBe(office.host);
    expect(await wayFrom('::ffff:10.20.30.40')).toBe(office.host);
    expect(await wayFrom('2001:db8:1::9')).toBe(office.host);
    expect(await wayFrom('2001:db8:2::9')).toBe(outside.host);
    expect(await wayFrom('203.0.113.7')).toBe(outside.host);
    expect(await wayFrom('192.0.2.9')).toBe(mapped.host);
    expect(await wayFrom('0.0.0.0')).toBe(outside.host);
  });

  it('is the first by priority, and the next one while that is unavailable', async () => {
    const third = await onlineGateway({ priority: 3 });
    const first = await onlineGateway({ priority: 1 });
    const second = await onlineGateway({ priority: 2 });
    expect(await wayFrom('203.0.113.7')).toBe(first.host);
    await change(first, { maintenance: true });
    expect(await wayFrom('203.0.113.7')).toBe(second.host);
    await change(second, { enabled: false });
    expect(await wayFrom('203.0.113.7')).toBe(third.host);
    await stand.silentFor(third, 61);
    expect((await stand.connect()).body.code).toBe('gateway_unavailable');
    await stand.silentFor(third, 50);
    expect(await wayFrom('203.0.113.7')).toBe(third.host);
    await change(first, { maintenance: false });
    expect(await wayFrom('203.0.113.7')).toBe(first.host);
  });

  it.each([
    ['silent', (gateway: Json) => stand.silentFor(gateway, 61)],
    ['disabled', (gateway: Json) => change(gateway, { enabled: false })],
    ['in maintenance', (gateway: Json) => change(gateway, { maintenance: true })],
  ])('is not bypassed while the only one is %s, unless the site allows it', async (_, stop) => {
    const only = await onlineGateway({ networks: ['203.0.113.0/24'] });
    await stop(only);
    const refused = await stand.connect();
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'gateway_unavailable',
      '5',
    ]);
    expect(JSON.stringify(refused.body)).not.toMatch(/10\.\d+\.\d+\.\d+/);
    const question = `GET /aggregator/api/client/v7.0/${stand.site.uri}/preconnectionInfo/${stand.serviceId}`;
    const verdict = await stand.world.portal.send(question, { token: stand.member.token, ip: '203.0.113.7' });
    expect(verdict.body).toMatchObject({ verdict: 'wait', ready: false, reason_code: 'gateway_unavailable' });
    // A client of another network has no gateway, and connects directly.
    expect((await stand.connect({ ip: '198.51.100.9' })).status).toBe(200);
    const site = (value: boolean) =>
      stand.world.admin(`PATCH ${base}/sites/${stand.site.id}`, { direct_when_gateways_fail: value });
    await site(true);
    expect((await stand.connect()).body.host).toMatch(/^10\./);
    await site(false);
    expect((await stand.connect()).status).toBe(503);
  });

  it('is preferably one with current heartbeats to one that never sent any, which does not have to', async () => {
    const mute = await stand.gateway();
    expect(await wayFrom('203.0.113.7')).toBe(mute.host);
    const online = await onlineGateway();
    for (let n = 0; n < 5; n++) expect(await wayFrom('203.0.113.7')).toBe(online.host);
    await change(mute, { priority: 0 });
    expect(await wayFrom('203.0.113.7')).toBe(mute.host);
  });

  it('supports the protocol of the connection', async () => {
    const rdp = await onlineGateway({ protocols: ['rdp'] });
    const spice = await onlineGateway({ protocols: ['spice'], port: 8443 });
    expect(await wayFrom('203.0.113.7', '?protocol=rdp')).toBe(rdp.host);
    const { body } = await stand.connect({ query: '?protocol=spice' });
    expect([body.gateway.host, body.gateway.port, body.port]).toEqual([spice.host, 8443, 8443]);
  });

  it('is selected for a connection through a rule as well', async () => {
    const gateway = await onlineGateway();
    const [farm_id = '', servicepool_uuid = ''] = stand.serviceId.split('.');
    const rule = await addRule(stand.world, stand.site, [{ farm_id, servicepool_uuid }]);
    const path = `/aggregator/api/client/v7.0/${stand.site.uri}/connectionInfo/${rule.id}`;
    const { body } = await stand.world.portal.send(`GET ${path}`, {
      token: stand.member.token,
      ip: '203.0.113.7',
    });
    expect(body.gateway.host).toBe(gateway.host);
    expect((await stand.use(body.gateway.ticket, gateway)).body.host).toMatch(/^10\./);
  });
});

describe('database round trips', () => {
  it('are two for a connection through a gateway, and one for a ticket, its end and a heartbeat', async () => {
    const { portal } = stand.world;
    const gateway = await onlineGateway();
    const tripsOf = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
      await portal.settled();
      const before = portal.trips();
      const result = await work();
      await portal.settled();
      return [portal.trips() - before, result];
    };
    await stand.connect();
    const [connecting, ticket] = await tripsOf(() => stand.ticketOf(gateway));
    const [using, { body }] = await tripsOf(() => stand.use(ticket, gateway));
    const [ending] = await tripsOf(() => stand.stop(body.notify, gateway));
    const [beating] = await tripsOf(() => stand.beat(gateway.token));
    expect([connecting, using, ending, beating]).toEqual([2, 1, 1, 1]);
  });
});
