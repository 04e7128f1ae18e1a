import { asc, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { gatewayJob } from '../../../functions/health/jobs/gateways.ts';
import { readMetricsData } from '../../../functions/health/metrics/metrics-data.ts';
import { addMember, base, useStand } from '../../support/factories.ts';
import { startTicketStand, wsproxy } from '../../support/gateways/tickets.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startTicketStand);
let gateway: Json;
/** The jobs of two sidecars. */
let connections: Connection[];

beforeAll(async () => {
  connections = [1, 2].map(() =>
    connectPg({ url: stand.world.portal.database.sidecarUrl, maxConnections: 1 }),
  );
});
beforeEach(async () => {
  gateway = await stand.gateway();
});
afterEach(() => stand.clear());
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
});

const change = (members: Json) => stand.world.admin(`PATCH ${base}/gateways/${gateway.id}`, members);

describe('a heartbeat of a gateway', () => {
  it('makes the gateway online, and its values are returned', async () => {
    const before = await stand.shown(gateway);
    expect([before.state, before.status]).toEqual(['unknown', 'unknown']);
    const told = { connections: 3, sent: 5_000_000_000, received: 7, version: ' 4.0.1 ' };
    const { status, body } = await stand.beat(gateway.token, told);
    expect([status, body]).toEqual([200, {}]);
    expect(await stand.shown(gateway)).toEqual({
      ...before,
      state: 'online',
      status: 'pass',
      version: '4.0.1',
      last_seen_at: expect.stringMatching(/Z$/),
      stats: { connections: 3, sent: 5_000_000_000, received: 7 },
    });
    await stand.silentFor(gateway, 61);
    expect(await stand.shown(gateway)).toMatchObject({ state: 'offline', status: 'fail' });
  });

  it('may omit values and have unknown members', async () => {
    await stand.beat(gateway.token, { connections: 3, sent: 4, received: 5, version: '4.0' });
    for (const body of [{}, { connections: null, version: null }, { uptime: 12, disks: [{ free: 1 }] }])
      expect((await stand.beat(gateway.token, body)).status).toBe(200);
    const { stats, version } = await stand.shown(gateway);
    expect([stats, version]).toEqual([{ connections: 3, sent: 4, received: 5 }, '4.0']);
  });

  it('may have counters beyond the range of the database', async () => {
    const huge = '{"connections": 2.9, "sent": 18446744073709551615, "received": 1e300}';
    expect((await stand.beat(gateway.token, huge)).status).toBe(200);
    const { stats } = await stand.shown(gateway);
    const most = Number.MAX_SAFE_INTEGER;
    expect(stats).toEqual({ connections: 2, sent: most, received: most });
  });

  it.each([
    { connections: -1 },
    { sent: '5' },
    { received: true },
    { version: 'v'.repeat(65) },
    { version: 4 },
  ])('with %j is rejected, and stores nothing', async (body) => {
    const answer = await stand.beat(gateway.token, body);
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
    expect((await stand.shown(gateway)).state).toBe('unknown');
  });

  it('needs the token of a gateway and accepts no other token', async () => {
    const { token } = await addMember(stand.world, ['gateways.update']);
    const refused = [
      await stand.beat(undefined),
      await stand.beat('made-up'),
      await stand.beat(token),
      await stand.world.portal.send(`POST ${wsproxy}/heartbeat`, { token: gateway.token, body: {} }),
      await stand.world.admin(`POST ${wsproxy}/heartbeat`, {}, { authorization: `Token ${gateway.token}` }),
    ];
    for (const { status, body } of refused) expect([status, body.code]).toEqual([403, 'forbidden']);
    const rotated = (await change({ rotate_token: true })).body;
    expect((await stand.beat(gateway.token)).status).toBe(403);
    expect((await stand.shown(gateway)).state).toBe('unknown');
    expect((await stand.beat(rotated.token)).status).toBe(200);
  });

  it('has at most 64 KiB', async () => {
    const answer = await stand.beat(gateway.token, { notes: 'x'.repeat(65_536) });
    expect([answer.status, answer.body.limit_bytes]).toEqual([413, 65_536]);
  });

  it('does not change the fields that an administrator wrote', async () => {
    const { db } = stand.world.portal;
    const [before] = await db.select().from(gateways).where(eq(gateways.id, gateway.id));
    await stand.beat(gateway.token, { connections: 1 });
    const [after] = await db.select().from(gateways).where(eq(gateways.id, gateway.id));
    expect([after?.revision, after?.updated_at]).toEqual([before?.revision, before?.updated_at]);
  });
});

describe('the monitoring journal', () => {
  /** Runs the jobs of both sidecars concurrently. */
  const round = () =>
    Promise.all(
      connections.map(({ db }) => gatewayJob(db, () => new Date()).round(new AbortController().signal)),
    );
  const told = async () => {
    const { db } = stand.world.portal;
    const records = await db
      .select()
      .from(monitoringRecords)
      .where(eq(monitoringRecords.object_id, gateway.id))
      .orderBy(asc(monitoringRecords.at), asc(monitoringRecords.id));
    return records.map(({ code }) => code);
  };

  it('reports once that a gateway has become silent, and once that it is back', async () => {
    await stand.beat(gateway.token);
    await round();
    expect(await told()).toEqual([]);
    await stand.silentFor(gateway, 61);
    await round();
    await round();
    expect(await told()).toEqual(['gateway_fail']);
    await Promise.all([stand.beat(gateway.token), stand.beat(gateway.token)]);
    await stand.beat(gateway.token);
    await round();
    expect(await told()).toEqual(['gateway_fail', 'gateway_pass']);
    await stand.silentFor(gateway, 61);
    await round();
    expect(await told()).toEqual(['gateway_fail', 'gateway_pass', 'gateway_fail']);
    const { items } = (await stand.world.admin(`GET ${base}/monitoring?object_id=${gateway.id}&sort=at`))
      .body;
    expect(items[0]).toMatchObject({
      level: 'error',
      source: 'gateway',
      object_type: 'gateway',
      object_name: gateway.name,
      message: `Gateway ${gateway.name} has sent no heartbeat for a minute`,
      details: { status: 'fail' },
    });
    expect(items[1]).toMatchObject({ level: 'info', source: 'gateway' });
  });

  it('has no entry for a gateway that never sent heartbeats or is out of service', async () => {
    await round();
    await stand.beat(gateway.token);
    await change({ maintenance: true });
    await stand.silentFor(gateway, 61);
    await round();
    await change({ maintenance: false, enabled: false });
    await round();
    expect(await told()).toEqual([]);
    await change({ enabled: true });
    await round();
    expect(await told()).toEqual(['gateway_fail']);
  });

  it('has a matching metric for gateways that have sent heartbeats', async () => {
    const gauges = async () =>
      (await readMetricsData({ db: stand.world.portal.sidecarDb }, new Date())).fleet?.gauges.gateways;
    expect(await gauges()).toEqual([]);
    await stand.beat(gateway.token);
    expect(await gauges()).toEqual([{ gateway: gateway.name, is_up: true }]);
    await stand.silentFor(gateway, 61);
    expect(await gauges()).toEqual([{ gateway: gateway.name, is_up: false }]);
    await change({ enabled: false });
    expect(await gauges()).toEqual([]);
  });
});
