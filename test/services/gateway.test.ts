import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Serving, serveNode } from '../../shared/runtime/node.ts';
import { pool } from '../support/factories.ts';
import { enter, type RunningGateway, startEcho, startGateway } from '../support/gateway.ts';
import type { Driver } from '../support/neon-proxy.ts';
import type { Json } from '../support/portal.ts';
import { syncAll } from '../support/snapshot.ts';
import { startTicketStand, type TicketStand, wsproxy } from '../support/tickets.ts';

/** On the socket driver, and on that of Workers, which cannot keep a transaction open. */
describe.each<Driver>(['pg', 'neon'])('a gateway server that knows tickets only (%s)', (driver) => {
  let workplace: Awaited<ReturnType<typeof startEcho>>;
  let stand: TicketStand;
  let serving: Serving;
  let running: RunningGateway;
  let registered: Json;

  beforeAll(async () => {
    workplace = await startEcho();
    const { host, port } = workplace;
    stand = await startTicketStand({ pools: [pool('Office', { endpoint: { host, port } })] }, { driver });
    serving = await serveNode({
      fetch: (request, invocation) => stand.world.portal.portal.fetch(request, invocation),
      host: '127.0.0.1',
      port: 0,
      trustProxy: 0,
      log: { error: () => undefined },
    });
  });
  beforeEach(async () => {
    const { token, id } = await stand.gateway({ host: '127.0.0.1' });
    const ticketUrl = `http://127.0.0.1:${serving.port}${wsproxy}/ticket`;
    running = await startGateway({ ticketUrl, token });
    const path = `/api/webui/aggregator/gateways/${id}`;
    registered = (await stand.world.admin(`PATCH ${path}`, { port: running.port })).body;
  });
  afterEach(async () => {
    await running.close();
    await stand.clear();
  });
  afterAll(async () => {
    await serving.close(1_000);
    await stand.close();
    await workplace.close();
  });

  /** What a client program is told; it comes from this machine, as its tunnel will. */
  const connection = async () => (await stand.connect({ ip: '127.0.0.1' })).body;

  it('leads a client to his workplace, and tells what went through when he leaves', async () => {
    const { gateway, session_uuid } = await connection();
    expect(gateway).toMatchObject({ host: '127.0.0.1', port: running.port });
    const client = await enter(gateway, gateway.ticket);
    expect(client.said).toBe('connected');
    const message = randomBytes(30_000).toString('hex');
    expect(await client.ask(message)).toBe(message);
    expect((await stand.shown(registered)).stats).toEqual({ connections: 1, sent: 0, received: 0 });
    const ended = running.nextEnd();
    client.leave();
    expect(await ended).toBe(200);
    const bytes = message.length + 1;
    expect((await stand.shown(registered)).stats).toEqual({ connections: 0, sent: bytes, received: bytes });
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

  it('keeps tunnels of one session apart', async () => {
    const ways = [await connection(), await connection()];
    const clients = await Promise.all(ways.map(({ gateway }) => enter(gateway, gateway.ticket)));
    const said = await Promise.all(clients.map((client, n) => client.ask(`message ${n}`)));
    expect(said).toEqual(['message 0', 'message 1']);
    for (const client of clients) {
      const ended = running.nextEnd();
      client.leave();
      expect(await ended).toBe(200);
    }
    expect((await stand.shown(registered)).stats).toEqual({ connections: 0, sent: 20, received: 20 });
  });

  it('turns away who comes without a ticket, with one that was used, or from elsewhere', async () => {
    const { gateway } = await connection();
    expect((await enter(gateway, 'A'.repeat(48))).said).toBe('refused');
    expect((await enter(gateway, gateway.ticket)).said).toBe('connected');
    expect((await enter(gateway, gateway.ticket)).said).toBe('refused');
    const elsewhere = (await stand.connect({ ip: '203.0.113.7' })).body.gateway;
    expect((await enter(elsewhere, elsewhere.ticket)).said).toBe('refused');
  });

  it('lets nobody in when its token has been taken back', async () => {
    const { gateway } = await connection();
    await stand.world.admin(`PATCH /api/webui/aggregator/gateways/${registered.id}`, { rotate_token: true });
    expect((await enter(gateway, gateway.ticket)).said).toBe('refused');
  });
});
