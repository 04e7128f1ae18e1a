import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { enter, type RunningGateway, startEcho } from '../../support/gateways/gateway.ts';
import { type GatewayStand, startGatewayStand } from '../../support/gateways/stand.ts';
import type { TicketStand } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

/** With the socket driver, and with that of Workers, which cannot keep a transaction open. */
describe.each<Driver>(['pg', 'neon'])('a gateway server that supports only tickets (%s)', (driver) => {
  let workplace: Awaited<ReturnType<typeof startEcho>>;
  let gateways: GatewayStand;
  let stand: TicketStand;
  let running: RunningGateway;
  let registered: Json;

  beforeAll(async () => {
    workplace = await startEcho();
    const { host, port } = workplace;
    gateways = await startGatewayStand({ host, port, spice: { tls_port: port } }, { driver });
    stand = gateways.stand;
  });
  beforeEach(async () => {
    ({ registered, running } = await gateways.open());
  });
  afterEach(async () => {
    await running.close();
    await stand.clear();
  });
  afterAll(async () => {
    await gateways.close();
    await workplace.close();
  });

  /** The connection of a client program; its request comes from this machine, as its tunnel will. */
  const connection = async (query = '') => (await stand.connect({ ip: '127.0.0.1', query })).body;
  const stats = async () => (await stand.shown(registered)).stats;

  it('connects a client to their workplace, and reports the bytes when the client disconnects', async () => {
    const { gateway, session_uuid } = await connection();
    expect(gateway).toMatchObject({ host: '127.0.0.1', port: running.port });
    const client = await enter(gateway, gateway.ticket);
    expect(client.said).toBe('connected');
    const message = randomBytes(30_000).toString('hex');
    expect(await client.ask(message)).toBe(message);
    expect(await stats()).toEqual({ connections: 1, sent: 0, received: 0 });
    const ended = running.nextEnd();
    client.leave();
    expect(await ended).toBe(200);
    const bytes = message.length + 1;
    expect(await stats()).toEqual({ connections: 0, sent: bytes, received: bytes });
    await syncAll(stand.world.portal, stand.farm);
    const { items } = (await stand.world.admin('GET /api/webui/aggregator/spsessions')).body;
    expect(items).toMatchObject([
      {
        session_uuid,
        gateway_id: registered.id,
        tunnels: { connections: 0, sent: bytes, received: bytes },
      },
    ]);
  });

  it('keeps the tunnels of one session apart', async () => {
    const ways = [await connection(), await connection()];
    const clients = await Promise.all(ways.map(({ gateway }) => enter(gateway, gateway.ticket)));
    const said = await Promise.all(clients.map((client, n) => client.ask(`message ${n}`)));
    expect(said).toEqual(['message 0', 'message 1']);
    for (const client of clients) {
      const ended = running.nextEnd();
      client.leave();
      expect(await ended).toBe(200);
    }
    expect(await stats()).toEqual({ connections: 0, sent: 20, received: 20 });
  });

  it('admits one connection for each channel of SPICE, concurrently, and no more', async () => {
    const { gateway, session_uuid } = await connection('?protocol=spice');
    const clients = await Promise.all(Array.from({ length: 20 }, () => enter(gateway, gateway.ticket)));
    const inside = clients.filter(({ said }) => said === 'connected');
    expect([inside.length, new Set(clients.map(({ said }) => said)).size]).toEqual([16, 2]);
    expect((await stats()).connections).toBe(16);
    const said = await Promise.all(inside.map((client, n) => client.ask(`channel ${n + 10}`)));
    expect(said).toEqual(inside.map((_, n) => `channel ${n + 10}`));
    for (const client of inside) client.leave();
    const sums = { connections: 0, sent: 16 * 11, received: 16 * 11 };
    await vi.waitFor(async () => expect(await stats()).toEqual(sums), { timeout: 10_000 });
    await syncAll(stand.world.portal, stand.farm);
    const { items } = (await stand.world.admin('GET /api/webui/aggregator/spsessions')).body;
    expect(items).toContainEqual(expect.objectContaining({ session_uuid, tunnels: sums }));
  });

  it('refuses a connection without a ticket, with a used one, or from another address', async () => {
    const { gateway } = await connection();
    expect((await enter(gateway, 'A'.repeat(48))).said).toBe('refused');
    for (let tunnel = 0; tunnel < 4; tunnel++)
      expect((await enter(gateway, gateway.ticket)).said).toBe('connected');
    expect((await enter(gateway, gateway.ticket)).said).toBe('refused');
    const elsewhere = (await stand.connect({ ip: '203.0.113.7' })).body.gateway;
    expect((await enter(elsewhere, elsewhere.ticket)).said).toBe('refused');
  });

  it('admits no client when its token was rotated', async () => {
    const { gateway } = await connection();
    await stand.world.admin(`PATCH /api/webui/aggregator/gateways/${registered.id}`, { rotate_token: true });
    expect((await enter(gateway, gateway.ticket)).said).toBe('refused');
  });
});
