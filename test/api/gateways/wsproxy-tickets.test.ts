import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayTickets } from '../../../db/schema/gateways/tickets.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { addUser, asker, audited, base, logIn, usersPath, useStand } from '../../support/factories.ts';
import { clientIp, startTicketStand, wsproxy } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startTicketStand);
let gateway: Json;

beforeEach(async () => {
  gateway = await stand.gateway();
});
afterEach(() => stand.clear());

const rows = () => stand.world.portal.db.select().from(gatewayTickets);
const change = (members: Json) =>
  stand.world.admin(`PATCH ${base}/gateways/${gateway.id}`, members).then(({ body }) => body);
const workplace = { host: expect.stringMatching(/^10\./), port: 3389 };

describe('a gateway ticket', () => {
  it('is returned with a connection, and the gateway address replaces the workplace address', async () => {
    const { status, body } = await stand.connect();
    expect(status).toBe(200);
    expect(body).toMatchObject({ host: gateway.host, port: 443, protocol: 'rdp', expires_in: 60 });
    expect(body.gateway).toEqual({
      host: gateway.host,
      port: 443,
      ticket: expect.stringMatching(/^[A-Za-z0-9]{48}$/),
      expires_in: 60,
    });
    expect(JSON.stringify(body)).not.toMatch(/"10\.\d/);
    expect((await stand.connect()).body.gateway.ticket).not.toBe(body.gateway.ticket);
  });

  it('is stored as its digest, appears in no log and no event, and the event names the gateway', async () => {
    const { portal } = stand.world;
    const { result: ticket, events } = await audited(portal, () => stand.ticketOf(gateway));
    const { notify } = (await stand.use(ticket, gateway)).body;
    await stand.stop(notify, gateway);
    expect(events).toMatchObject([
      { event: 'aggregator.ConnectionIssued', details: { host: workplace.host, gateway: gateway.name } },
    ]);
    const kept = JSON.stringify([await rows(), events, portal.log]);
    for (const secret of [ticket, notify, gateway.token]) expect(kept).not.toContain(secret);
    expect((await rows()).map(({ ticket_hash }) => ticket_hash)).toContain(sha256(ticket));
    expect(portal.log).toContainEqual(
      expect.objectContaining({ route: `${wsproxy}/ticket/{ticket}/{client_ip}/{gateway_token}` }),
    );
  });

  it('gives the gateway the target address and the key that ends the tunnel', async () => {
    const ticket = await stand.ticketOf(gateway);
    const { status, body } = await stand.use(ticket, gateway);
    expect([status, body]).toEqual([
      200,
      {
        ...workplace,
        notify: expect.stringMatching(/^[A-Za-z0-9]{48}$/),
        tunnel_key: sha256(`tunnel:${ticket}`),
      },
    ]);
    expect((await stand.use(body.notify, gateway)).status).toBe(403);
  });

  it('for RDP admits four of many concurrent attempts, because RDP clients reconnect after a prompt', async () => {
    const ticket = await stand.ticketOf(gateway);
    const answers = await Promise.all(Array.from({ length: 8 }, () => stand.use(ticket, gateway)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(4).fill(200),
      ...Array(4).fill(403),
    ]);
    expect((await stand.shown(gateway)).stats.connections).toBe(4);
  });

  it('for RDP admits further tunnels for 120 seconds after the first, because a person answers the prompt', async () => {
    const ticket = await stand.ticketOf(gateway);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
    await stand.ageTickets(115);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
    await stand.ageTickets(6);
    expect((await stand.use(ticket, gateway)).status).toBe(403);
  });

  it('is valid for 60 seconds', async () => {
    const [late, early] = [await stand.ticketOf(gateway), await stand.ticketOf(gateway)];
    await stand.ageTickets(50);
    expect((await stand.use(early, gateway)).status).toBe(200);
    await stand.ageTickets(10);
    expect((await stand.use(late, gateway)).status).toBe(403);
  });

  it('leads the gateway to the TLS port of SPICE where there is one, and the client to the gateway', async () => {
    const { body } = await stand.connect({ query: '?protocol=spice' });
    expect(body).toMatchObject({ host: gateway.host, port: 443, spice: { tls_port: 443 } });
    expect((await stand.use(body.gateway.ticket, gateway)).body).toMatchObject({ ...workplace, port: 5901 });
  });

  it('becomes invalid with its user', async () => {
    const { portal, domain, admin } = stand.world;
    const user = await addUser(admin, domain);
    const { token } = (await logIn(portal, domain, user)).body;
    const ticket = await stand.ticketOf(gateway, { token });
    await asker(portal, token)('POST /api/auth/v7.0/logout');
    expect((await admin(`DELETE ${usersPath(domain)}/${user.id}`)).status).toBe(204);
    expect((await stand.use(ticket, gateway)).status).toBe(403);
  });

  it('is neither issued nor used by a HEAD request', async () => {
    const { node, member } = stand;
    const { portal } = stand.world;
    const ticket = await stand.ticketOf(gateway);
    const head = `HEAD ${wsproxy}/ticket/${ticket}/${clientIp}/${gateway.token}`;
    expect([(await portal.send(head)).status, (await portal.send(head)).status]).toEqual([200, 200]);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
    node.simulator.resetCalls();
    const path = `/aggregator/api/client/v7.0/${stand.site.uri}/connectionInfo/${stand.serviceId}`;
    const before = (await rows()).length;
    const { result, events } = await audited(portal, () => member.ask(`HEAD ${path}`));
    expect([result.status, events, node.simulator.calls]).toEqual([200, [], []]);
    expect(await rows()).toHaveLength(before);
  });
});

describe('the client address that a ticket is bound to', () => {
  it('is that of the connection request; another is refused, and does not use the ticket', async () => {
    const ticket = await stand.ticketOf(gateway);
    for (const ip of ['203.0.113.8', '203.0.113.7.', 'client', '0.0.0.0', '%20'])
      expect([ip, (await stand.use(ticket, gateway, ip)).status]).toEqual([ip, 403]);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
  });

  it.each([
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:cb00:7107'],
    ['2001:db8::7', '2001:0DB8:0:0:0:0:0:0007'],
    ['2001:db8::7', encodeURIComponent('2001:db8::7')],
    ['fe80::7', 'fe80::7%25eth0'],
  ])('is compared in any notation: requested from %s, used from %s', async (asked, used) => {
    const ticket = await stand.ticketOf(gateway, { ip: asked });
    expect((await stand.use(ticket, gateway, used)).status).toBe(200);
  });

  it.each([
    ['exact', '2001:db8::7', 403],
    ['exact', '203.0.113.8', 403],
    ['family', '2001:db8::7', 200],
    ['family', '203.0.113.8', 403],
    ['off', '2001:db8::7', 200],
    ['off', '203.0.113.8', 200],
  ])('is compared as the gateway is configured: %s, requested from 203.0.113.7, used from %s', async (client_address, ip, status) => {
    await change({ client_address });
    const ticket = await stand.ticketOf(gateway);
    expect((await stand.use(ticket, gateway, ip)).status).toBe(status);
  });

  it('allows a dual-stack client, requested from 127.0.0.1 and used from ::1, and the reverse', async () => {
    const ticket = await stand.ticketOf(gateway, { ip: '127.0.0.1' });
    expect((await stand.use(ticket, gateway, '::1')).status).toBe(200);
    expect((await stand.use(ticket, gateway, '::2')).status).toBe(403);
    const other = await stand.ticketOf(gateway, { ip: '::1' });
    expect((await stand.use(other, gateway, '127.0.0.1')).status).toBe(200);
  });

  it('may be any address when it is unknown', async () => {
    const ticket = await stand.ticketOf(gateway, { ip: '0.0.0.0' });
    expect((await stand.use(ticket, gateway, 'nobody')).status).toBe(403);
    expect((await stand.use(ticket, gateway, '198.51.100.9')).status).toBe(200);
  });
});

describe('the gateway of a ticket', () => {
  it('counts as online when a tunnel begins and ends, without heartbeats', async () => {
    expect((await stand.shown(gateway)).last_used_at).toBeNull();
    const { body } = await stand.use(await stand.ticketOf(gateway), gateway);
    const { last_used_at: begun, state } = await stand.shown(gateway);
    expect([begun, state]).toEqual([expect.stringMatching(/Z$/), 'unknown']);
    await stand.stop(body.notify, gateway);
    expect(Date.parse((await stand.shown(gateway)).last_used_at)).toBeGreaterThanOrEqual(Date.parse(begun));
  });

  it('is exactly one', async () => {
    const other = await stand.gateway({ priority: 2 });
    const ticket = await stand.ticketOf(gateway);
    expect((await stand.use(ticket, other)).status).toBe(403);
    expect((await stand.use(ticket, { token: 'made-up' })).status).toBe(403);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
  });

  it('must not be disabled; in maintenance it still accepts tickets that were issued before', async () => {
    const ticket = await stand.ticketOf(gateway);
    await change({ enabled: false });
    expect((await stand.use(ticket, gateway)).status).toBe(403);
    await change({ enabled: true, maintenance: true });
    expect((await stand.use(ticket, gateway)).status).toBe(200);
  });

  it('is authenticated by its current token', async () => {
    const ticket = await stand.ticketOf(gateway);
    const { token } = await change({ rotate_token: true });
    expect((await stand.use(ticket, gateway)).status).toBe(403);
    expect((await stand.use(ticket, { token })).status).toBe(200);
  });

  it('has its tickets deleted when it is deleted', async () => {
    const ticket = await stand.ticketOf(gateway);
    expect((await stand.world.admin(`DELETE ${base}/gateways/${gateway.id}`)).status).toBe(204);
    expect((await stand.use(ticket, gateway)).status).toBe(403);
    const left = await stand.world.portal.db
      .select()
      .from(gatewayTickets)
      .where(eq(gatewayTickets.ticket_hash, sha256(ticket)));
    expect(left).toEqual([]);
  });
});
