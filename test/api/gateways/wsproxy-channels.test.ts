import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gatewayTickets } from '../../../db/schema/gateways/tickets.ts';
import { gatewayTunnels } from '../../../db/schema/gateways/tunnels.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { base, useStand } from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { clientIp, startTicketStand } from '../../support/gateways/tickets.ts';
import type { Answer, Json } from '../../support/portal.ts';

/** Each channel of SPICE is a connection of its own, all with one ticket. */
describe.each<Driver>(['pg', 'neon'])('a SPICE ticket (%s)', (driver) => {
  const stand = useStand(() => startTicketStand(undefined, { driver }));
  let gateway: Json;

  beforeEach(async () => {
    gateway = await stand.gateway();
  });
  afterEach(() => stand.clear());

  const most = 16;
  const elsewhere = '203.0.113.8';
  const ticketOf = (ip = clientIp) => stand.ticketOf(gateway, { ip, query: '?protocol=spice' });
  const statusOf = async (ticket: string, at = gateway, ip = clientIp) =>
    (await stand.use(ticket, at, ip)).status;
  const times = <T>(count: number, work: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => work(n)));
  const stats = async () => (await stand.shown(gateway)).stats;
  const change = (members: Json) =>
    stand.world.admin(`PATCH ${base}/gateways/${gateway.id}`, members).then(({ body }) => body);
  const rowOf = async (ticket: string) => {
    const { db } = stand.world.portal;
    const [row] = await db
      .select()
      .from(gatewayTickets)
      .where(eq(gatewayTickets.ticket_hash, sha256(ticket)));
    return row;
  };
  const begun = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200);

  it('opens sixteen tunnels to the same address at most, each with its own key to end it', async () => {
    const ticket = await ticketOf();
    const answers: Answer[] = [];
    for (let n = 0; n < most; n++) answers.push(await stand.use(ticket, gateway));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [first] = answers;
    for (const { body } of answers)
      expect(body).toEqual({ ...first?.body, notify: expect.stringMatching(/^[A-Za-z0-9]{48}$/) });
    expect(new Set(answers.map(({ body }) => body.notify)).size).toBe(most);
    expect(await statusOf(ticket)).toBe(403);
    await stand.stop(first?.body.notify, gateway);
    expect(await statusOf(ticket)).toBe(403);
    expect(await stats()).toMatchObject({ connections: most - 1 });
  });

  it('admits as many concurrent attempts as it has tunnels', async () => {
    const ticket = await ticketOf();
    await stand.use(ticket, gateway);
    const answers = await times(most + 4, () => stand.use(ticket, gateway));
    expect(begun(answers)).toHaveLength(most - 1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(5);
    expect((await rowOf(ticket))?.tunnels_left).toBe(0);
    expect(await stats()).toMatchObject({ connections: most });
  });

  it('is valid for 60 seconds until its first use, and for 30 seconds after it', async () => {
    const [unused, used] = [await ticketOf(), await ticketOf()];
    await stand.ageTickets(55);
    const { notify } = (await stand.use(used, gateway)).body;
    await stand.ageTickets(25);
    expect([await statusOf(unused), await statusOf(used)]).toEqual([403, 200]);
    await stand.ageTickets(6);
    expect(await statusOf(used)).toBe(403);
    expect((await stand.stop(notify, gateway)).status).toBe(200);
  });

  it('does not become valid for longer by an early use', async () => {
    const ticket = await ticketOf();
    expect(await statusOf(ticket)).toBe(200);
    await stand.ageTickets(31);
    expect(await statusOf(ticket)).toBe(403);
  });

  it('is bound to one address, and an attempt from another address does not use it', async () => {
    const ticket = await ticketOf();
    expect(await statusOf(ticket, gateway, elsewhere)).toBe(403);
    expect(await statusOf(ticket)).toBe(200);
    expect(await statusOf(ticket, gateway, elsewhere)).toBe(403);
    expect(await statusOf(ticket, gateway, `::ffff:${clientIp}`)).toBe(200);
    expect((await rowOf(ticket))?.tunnels_left).toBe(most - 2);
  });

  it('is bound by its first use when the address was unknown', async () => {
    const ticket = await ticketOf('0.0.0.0');
    expect(await statusOf(ticket, gateway, '2001:DB8::7')).toBe(200);
    expect(await statusOf(ticket, gateway, '2001:db8::8')).toBe(403);
    expect(await statusOf(ticket, gateway, '2001:db8:0::7')).toBe(200);
  });

  it('is bound to one address also when two first uses are concurrent', async () => {
    const ticket = await ticketOf('0.0.0.0');
    const ips = [clientIp, elsewhere];
    const answers = await times(20, async (n) => ({
      ip: ips[n % 2] ?? '',
      status: await statusOf(ticket, gateway, ips[n % 2]),
    }));
    const inside = answers.filter(({ status }) => status === 200);
    expect([inside.length, new Set(inside.map(({ ip }) => ip)).size]).toEqual([10, 1]);
    expect(inside.map(({ ip }) => ip)).toContain((await rowOf(ticket))?.client_ip);
  });

  it('is bound to one gateway, which may be revoked between its uses', async () => {
    const other = await stand.gateway({ priority: 2 });
    const ticket = await ticketOf();
    expect([await statusOf(ticket), await statusOf(ticket, other)]).toEqual([200, 403]);
    await change({ enabled: false });
    expect(await statusOf(ticket)).toBe(403);
    await change({ enabled: true });
    expect(await statusOf(ticket)).toBe(200);
    const { token } = await change({ rotate_token: true });
    expect([await statusOf(ticket), await statusOf(ticket, { token })]).toEqual([403, 200]);
    await stand.world.admin(`DELETE ${base}/gateways/${gateway.id}`);
    expect(await statusOf(ticket, { token })).toBe(403);
    expect(await stand.world.portal.db.select().from(gatewayTunnels)).toEqual([]);
  });

  it('has tunnels that end one by one, also when all of them end concurrently', async () => {
    const ticket = await ticketOf();
    const answers = await times(5, () => stand.use(ticket, gateway));
    const [first = '', ...others]: string[] = answers.map(({ body }) => body.notify);
    expect((await stand.stop(first, gateway, '?sent=1&recv=2')).status).toBe(200);
    expect((await stand.stop(first, gateway, '?sent=1&recv=2')).status).toBe(403);
    expect(await stats()).toEqual({ connections: 4, sent: 1, received: 2 });
    const twice = [...others, ...others];
    const ended = await times(twice.length, (n) => stand.stop(twice[n] ?? '', gateway, '?sent=10&recv=20'));
    expect(begun(ended)).toHaveLength(4);
    expect(await stats()).toEqual({ connections: 0, sent: 41, received: 82 });
  });

  it('takes one round trip for each tunnel and one for its end', async () => {
    const { portal } = stand.world;
    const ticket = await ticketOf();
    await portal.settled();
    const before = portal.trips();
    const { body } = await stand.use(ticket, gateway);
    await stand.use(ticket, gateway);
    await stand.stop(body.notify, gateway);
    await portal.settled();
    expect(portal.trips() - before).toBe(3);
  });

  it('adds the bytes of its tunnels to those of its session', async () => {
    const { body } = await stand.connect({ query: '?protocol=spice' });
    const { ticket } = body.gateway;
    const [one, two] = await times(3, () => stand.use(ticket, gateway));
    const shown = async () => {
      await syncAll(stand.world.portal, stand.farm);
      const { items } = (await stand.world.admin(`GET ${base}/spsessions`)).body;
      return items.find(({ session_uuid }: Json) => session_uuid === body.session_uuid);
    };
    expect((await shown()).tunnels).toMatchObject({ connections: 3, sent: 0, received: 0 });
    await stand.stop(one?.body.notify, gateway, '?sent=5&recv=7');
    await stand.stop(two?.body.notify, gateway, '?sent=50&recv=70');
    expect(await shown()).toMatchObject({
      gateway_id: gateway.id,
      tunnels: { connections: 1, sent: 55, received: 77 },
    });
  });
});
