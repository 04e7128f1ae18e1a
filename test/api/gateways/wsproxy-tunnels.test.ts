import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import { gatewayTickets } from '../../../db/schema/gateways/tickets.ts';
import { gatewayTunnels } from '../../../db/schema/gateways/tunnels.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { base, useStand } from '../../support/factories.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { startTicketStand } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startTicketStand);
let gateway: Json;

beforeEach(async () => {
  gateway = await stand.gateway();
});
afterEach(() => stand.clear());

/** @returns the key that ends a new tunnel */
const begin = async (): Promise<string> =>
  (await stand.use(await stand.ticketOf(gateway), gateway)).body.notify;
const stats = async () => (await stand.shown(gateway)).stats;
const most = Number.MAX_SAFE_INTEGER;

describe('the end of a tunnel', () => {
  it('is reported once, however long the tunnel was open', async () => {
    const notify = await begin();
    await stand.ageTickets(7 * 86_400);
    const ended = await stand.stop(notify, gateway, '?sent=5&recv=7');
    expect([ended.status, ended.body]).toEqual([200, {}]);
    expect((await stand.stop(notify, gateway, '?sent=5&recv=7')).status).toBe(403);
    expect(await stats()).toEqual({ connections: 0, sent: 5, received: 7 });
  });

  it('is counted once when two reports are concurrent', async () => {
    const notify = await begin();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => stand.stop(notify, gateway, '?sent=10&recv=1')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(403)]);
    expect(await stats()).toEqual({ connections: 0, sent: 10, received: 1 });
  });

  it('is reported by the gateway that opened it, also when it was disabled meanwhile', async () => {
    const other = await stand.gateway({ priority: 2 });
    const notify = await begin();
    expect((await stand.stop(notify, other)).status).toBe(403);
    await stand.world.admin(`PATCH ${base}/gateways/${gateway.id}`, { enabled: false });
    expect((await stand.stop(notify, gateway)).status).toBe(200);
  });

  it('is refused with a ticket or an unknown key', async () => {
    const ticket = await stand.ticketOf(gateway);
    for (const word of [ticket, 'x', 'A'.repeat(48), 'A'.repeat(4_000)])
      expect((await stand.stop(word, gateway)).status).toBe(403);
    expect((await stand.use(ticket, gateway)).status).toBe(200);
  });

  it.each([
    ['', [0, 0]],
    ['?sent&recv', [0, 0]],
    ['?recv=7', [0, 7]],
    ['?sent=5&recv=7&duration=9&sent_at=now', [5, 7]],
    [`?sent=${most}&recv=9007199254740993`, [most, most]],
    [`?sent=18446744073709551615&recv=${'9'.repeat(64)}`, [most, most]],
  ])('accepts the byte counts "%s"', async (query, [sent, received]) => {
    const notify = await begin();
    expect((await stand.stop(notify, gateway, query)).status).toBe(200);
    expect(await stats()).toEqual({ connections: 0, sent, received });
  });

  it.each([
    '?sent=-1',
    '?sent=1.5',
    '?sent=many',
    '?recv=0x10',
    '?sent=1&sent=2',
    '?recv=%00',
    '?sent=1e9',
  ])('rejects the byte counts "%s", and stays open for a valid report', async (query) => {
    const notify = await begin();
    expect((await stand.stop(notify, gateway, query)).status).toBe(403);
    expect((await stats()).connections).toBe(1);
    expect((await stand.stop(notify, gateway, '?sent=1')).status).toBe(200);
  });
});

describe('the counters of a gateway', () => {
  it('have open tunnels and the bytes of ended ones, up to the exact range of a double', async () => {
    const open = [await begin(), await begin(), await begin()];
    expect(await stats()).toEqual({ connections: 3, sent: 0, received: 0 });
    await stand.stop(open[0] ?? '', gateway, '?sent=100&recv=200');
    await stand.stop(open[1] ?? '', gateway, `?sent=11&recv=${most}`);
    expect(await stats()).toEqual({ connections: 1, sent: 111, received: most });
  });

  it('are those of its last heartbeat, updated by tunnels that begin and end', async () => {
    const notify = await begin();
    await stand.beat(gateway.token, { connections: 40, sent: 1_000, received: 2_000 });
    const second = await begin();
    expect(await stats()).toEqual({ connections: 41, sent: 1_000, received: 2_000 });
    await stand.stop(notify, gateway, '?sent=1&recv=2');
    expect(await stats()).toEqual({ connections: 40, sent: 1_001, received: 2_002 });
    await stand.beat(gateway.token, { connections: 0 });
    await stand.stop(second, gateway);
    expect(await stats()).toEqual({ connections: 0, sent: 1_001, received: 2_002 });
  });

  it('change neither its version nor its ETag', async () => {
    const { updated_at } = await stand.shown(gateway);
    await stand.stop(await begin(), gateway, '?sent=1');
    const etag = (await stand.world.admin(`GET ${base}/gateways/${gateway.id}`)).headers.get('etag');
    expect(etag).toMatch(/^"1\./);
    expect((await stand.shown(gateway)).updated_at).toBe(updated_at);
  });
});

describe('the counters of a workplace session', () => {
  const sessionOf = async (uuid: string) =>
    (await stand.world.admin(`GET ${base}/spsessions`)).body.items.find(
      ({ session_uuid }: Json) => session_uuid === uuid,
    );

  it('include its tunnels, even those that began before the session was in the snapshot', async () => {
    const { body } = await stand.connect();
    const { notify } = (await stand.use(body.gateway.ticket, gateway)).body;
    await syncAll(stand.world.portal, stand.farm);
    expect(await sessionOf(body.session_uuid)).toMatchObject({
      gateway_id: gateway.id,
      tunnels: { connections: 1, sent: 0, received: 0 },
    });
    await stand.stop(notify, gateway, '?sent=5&recv=7');
    const further = await begin();
    await stand.stop(further, gateway, `?sent=1&recv=${most}`);
    await stand.ticketOf(gateway);
    await syncAll(stand.world.portal, stand.farm);
    expect(await sessionOf(body.session_uuid)).toMatchObject({
      gateway_id: gateway.id,
      tunnels: { connections: 0, sent: 6, received: most },
    });
  });
});

describe('expired tickets', () => {
  const sweep = async () => {
    const { db } = stand.world.portal;
    for (const leftover of expiredRows(parametersFrom(null), new Date()))
      if (leftover.table === gatewayTickets) await deleteExpired(db, leftover, new AbortController().signal);
    const left = await Promise.all([db.select().from(gatewayTickets), db.select().from(gatewayTunnels)]);
    return left.map((rows) => rows.length);
  };

  it('are deleted: unused ones soon, those with counters after three months, with the counters', async () => {
    await begin();
    await stand.ticketOf(gateway);
    expect(await sweep()).toEqual([2, 1]);
    await stand.ageTickets(3_700);
    expect(await sweep()).toEqual([1, 1]);
    await stand.ageTickets(90 * 86_400);
    expect(await sweep()).toEqual([0, 0]);
  });
});
