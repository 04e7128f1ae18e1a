import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { syncAll } from '../../support/fleet/snapshot.ts';
import { enter, startEcho } from '../../support/gateways/gateway.ts';
import { type GatewayStand, startGatewayStand } from '../../support/gateways/stand.ts';
import type { Json } from '../../support/portal.ts';

/** Counters of a worker process of the OpenUDS tunnel server 4.0, reported at the end of each tunnel. */
type Process = { sent: number; recv: number };

describe.each<Driver>(['pg', 'neon'])('a gateway that counts all bytes of its process (%s)', (driver) => {
  let workplace: Awaited<ReturnType<typeof startEcho>>;
  let stand: GatewayStand;
  beforeAll(async () => {
    workplace = await startEcho();
    const { host, port } = workplace;
    stand = await startGatewayStand({ host, port }, { driver });
  });
  afterEach(() => stand.stand.clear());
  afterAll(async () => {
    await stand.close();
    await workplace.close();
  });

  const gatewayOf = (given: Json = {}): Promise<Json> =>
    stand.stand.gateway({ byte_counters: 'process', ...given });
  const stats = async (gateway: Json): Promise<Json> => (await stand.stand.shown(gateway)).stats;

  /** The requests of the tunnel server: reads with the token in the path, each on a separate connection. */
  const ask = (path: string) =>
    fetch(`${stand.ticketUrl}/${path}`, {
      headers: { 'user-agent': 'UDSTunnel/v2.0.0', connection: 'close' },
    });
  const begin = async (gateway: Json): Promise<string> => {
    const ticket = await stand.stand.ticketOf(gateway, { ip: '127.0.0.1' });
    expect(ticket).toMatch(/^[a-zA-Z0-9]{48}$/);
    const answer = await ask(`${ticket}/127.0.0.1/${gateway.token}`);
    const { host, port, notify } = await answer.json();
    expect([answer.status, host, port]).toEqual([200, workplace.host, workplace.port]);
    return notify;
  };
  const end = async (gateway: Json, notify: string, { sent, recv }: Process): Promise<number> => {
    const answer = await ask(`${notify}/stop/${gateway.token}?sent=${sent}&recv=${recv}`);
    if (answer.ok) expect(await answer.json()).toEqual({});
    return answer.status;
  };
  /** A finished tunnel of a process that transferred these bytes. */
  const tunnel = async (gateway: Json, process: Process, sent: number, recv: number): Promise<void> => {
    const notify = await begin(gateway);
    process.sent += sent;
    process.recv += recv;
    expect(await end(gateway, notify, process)).toBe(200);
  };
  /** Counters separate the bytes of the last minute; this moves them back by so many seconds. */
  const age = async ({ id }: Json, seconds: number): Promise<void> => {
    const older = (name: string) => sql`(select coalesce(jsonb_agg(jsonb_set(line, '{since}',
      to_jsonb((line ->> 'since')::bigint - ${seconds}::int)) order by at), '[]')
      from jsonb_array_elements(process_counters -> ${name}::text) with ordinality as lines(line, at))`;
    await stand.stand.world.portal.db
      .update(gateways)
      .set({
        process_counters: sql`jsonb_build_object('sent', ${older('sent')}, 'received', ${older('received')})`,
      })
      .where(eq(gateways.id, id));
  };

  it('shows the bytes of six tunnels instead of its reports', async () => {
    const { registered, running } = await stand.open(true);
    for (let n = 1; n <= 6; n++) {
      const { gateway } = (await stand.stand.connect({ ip: '127.0.0.1' })).body;
      const client = await enter(gateway, gateway.ticket);
      expect(await client.ask('x'.repeat(999))).toHaveLength(999);
      const ended = running.nextEnd();
      client.leave();
      expect(await ended).toBe(200);
      expect(await stats(registered)).toEqual({ connections: 0, sent: n * 1_000, received: n * 1_000 });
    }
    await syncAll(stand.stand.world.portal, stand.stand.farm);
    const { items } = (await stand.stand.world.admin('GET /api/webui/aggregator/spsessions')).body;
    const through = items.find(({ gateway_id }: Json) => gateway_id === registered.id);
    expect(through.tunnels).toEqual({ connections: 0, sent: 6_000, received: 6_000 });
    await running.close();
  });

  it('shows the bytes of each report of a gateway that counts by tunnel', async () => {
    const gateway = await gatewayOf({ byte_counters: 'tunnel' });
    for (const bytes of [700, 200, 700])
      expect(await end(gateway, await begin(gateway), { sent: bytes, recv: 1 })).toBe(200);
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 1_600, received: 3 });
  });

  it('counts from zero after a restart, which makes its counters smaller', async () => {
    const gateway = await gatewayOf();
    const former = { sent: 0, recv: 0 };
    for (const bytes of [40_000, 30_000, 30_000]) {
      await tunnel(gateway, former, bytes, bytes * 2);
      await age(gateway, 61);
    }
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 100_000, received: 200_000 });
    const next = { sent: 0, recv: 0 };
    await tunnel(gateway, next, 300, 10);
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 100_300, received: 200_010 });
    await tunnel(gateway, next, 500, 0);
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 100_800, received: 200_010 });
  });

  it('has several processes, which it does not identify', async () => {
    const gateway = await gatewayOf();
    const workers = [0, 1, 2].map(() => ({ sent: 0, recv: 0 }));
    const all = { sent: 0, received: 0 };
    for (const [worker, bytes] of [
      ...[
        [0, 90_000],
        [1, 400],
        [2, 7_000],
        [0, 5_000],
        [1, 800],
        [1, 300],
        [0, 1],
        [2, 60_000],
      ],
      ...[
        [1, 70_000],
        [2, 9],
        [0, 20_000],
        [1, 4_000],
        [2, 12_000],
        [0, 3],
      ],
    ] as const) {
      const process = workers[worker ?? 0];
      if (!process || bytes === undefined) throw new Error('no such worker');
      await tunnel(gateway, process, bytes, bytes * 3);
      await age(gateway, 61);
      all.sent += bytes;
      all.received += bytes * 3;
      const { sent, received } = await stats(gateway);
      expect([sent <= all.sent, received <= all.received]).toEqual([true, true]);
    }
    // Processes may have swapped counters; with a report of each the sums are complete.
    for (const process of workers) await tunnel(gateway, process, 0, 0);
    expect(await stats(gateway)).toEqual({ connections: 0, ...all });
  });

  it('counts nothing twice when tunnels end concurrently, in any order of reports', async () => {
    const gateway = await gatewayOf();
    const process = { sent: 0, recv: 0 };
    await tunnel(gateway, process, 1_000_000, 1_000_000);
    await age(gateway, 61);
    const open = [];
    for (let n = 0; n < 12; n++) open.push(await begin(gateway));
    expect((await stats(gateway)).connections).toBe(12);
    const reports = open.map((notify, n) => ({ notify, sent: 1_000_000 + n * 100, recv: 1_000_000 + n }));
    const last = reports.toReversed();
    expect(await Promise.all(last.map(({ notify, ...at }) => end(gateway, notify, at)))).toEqual(
      last.map(() => 200),
    );
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 1_001_100, received: 1_000_011 });
  });

  it('counts an end once that is reported several times concurrently', async () => {
    const gateway = await gatewayOf();
    const notify = await begin(gateway);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, () => end(gateway, notify, { sent: 50, recv: 60 })),
    );
    expect(statuses.toSorted()).toEqual([200, ...Array(5).fill(403)]);
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 50, received: 60 });
    await tunnel(gateway, { sent: 50, recv: 60 }, 5, 6);
    expect(await stats(gateway)).toEqual({ connections: 0, sent: 55, received: 66 });
  });

  it('keeps the counters of the 64 largest processes', async () => {
    const gateway = await gatewayOf();
    for (let n = 0; n < 66; n++) {
      expect(await end(gateway, await begin(gateway), { sent: (66 - n) * 1_000, recv: 0 })).toBe(200);
      await age(gateway, 61);
    }
    const [row] = await stand.stand.world.portal.db
      .select()
      .from(gateways)
      .where(eq(gateways.id, gateway.id));
    const kept = row?.process_counters.sent.map(({ counter }) => counter);
    expect([kept?.length, kept?.[0], kept?.at(-1)]).toEqual([64, 3_000, 66_000]);
  });
});
