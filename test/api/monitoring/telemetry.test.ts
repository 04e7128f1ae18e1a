import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealAudit } from '../../../db/repositories/audit/chain.ts';
import { addUpLogins, addUpTelemetry } from '../../../db/repositories/monitoring/telemetry.ts';
import { telemetryBatches, telemetrySums } from '../../../db/schema/monitoring/telemetry.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms as farmsTable } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import type { Telemetry } from '../../../shared/kernel/observability/telemetry.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { telemetryInto } from '../../../shared/runtime/telemetry.ts';
import { addMember, base, logIn, pool, startWorld, type World } from '../../support/factories.ts';
import { siteWithFarms } from '../../support/fleet/rules.ts';
import {
  accessKeys,
  type HealthPort,
  metricsPath,
  startHealthPort,
  token,
} from '../../support/monitoring/health-port.ts';
import { parseMetrics } from '../../support/monitoring/prometheus-text.ts';

let world: World;
let ports: HealthPort[];
let telemetry: Telemetry;
let isDue = false;
/** Observations are held here before they are written. */
let gate = Promise.resolve();

beforeAll(async () => {
  world = await startWorld({
    telemetry: (db) => {
      const counted = telemetryInto(db, createLog({ write: () => undefined }));
      telemetry = { ...counted, isDue: () => isDue, flush: () => gate.then(() => counted.flush()) };
      return telemetry;
    },
  });
  const { sidecarUrl } = world.portal.database;
  ports = [await startHealthPort(sidecarUrl), await startHealthPort(sidecarUrl)];
});
beforeEach(async () => {
  await telemetry.flush();
  await addUpAll();
  await world.portal.sidecarDb.delete(telemetrySums);
});
afterAll(async () => {
  await Promise.all(ports.map((port) => port.close()));
  await world.portal.close();
});

async function addUpAll(): Promise<void> {
  const { sidecarDb: db } = world.portal;
  while ((await sealAudit(db, 500)) > 0);
  await addUpTelemetry(db, 500);
  await addUpLogins(db, 10_000);
}

/** Series of one family in the output of one of the sidecars. */
async function told(family: string, at = 0): Promise<Record<string, number>> {
  const { text } = (await ports[at]?.ask(metricsPath, { headers: token(accessKeys.metrics) })) ?? {
    text: '',
  };
  return Object.fromEntries(parseMetrics(text).get(family)?.samples ?? []);
}
const requests = 'aggregator_http_requests_total';
const durations = 'aggregator_http_request_duration_seconds';

describe('the request metrics of functions', () => {
  it('are counted by module, operation and status, with closed sets of labels', async () => {
    const { portal, admin } = world;
    for (let n = 0; n < 2; n++) await admin('GET /api/userinfo');
    for (let n = 0; n < 3; n++) await portal.send(`GET /api/nowhere/${n}`);
    await portal.send(`GET ${base}/sites`, { token: 'nobody' });
    await admin(`POST ${base}/sites`, {});
    await admin(`PUT ${base}/sites`);
    await telemetry.flush();
    await addUpAll();
    expect(await told(requests)).toEqual({
      '{module="userinfo",operation="userinfo.get",status="200"}': 2,
      '{module="discover",operation="none",status="404"}': 3,
      '{module="webui",operation="site.list",status="401"}': 1,
      '{module="webui",operation="site.create",status="422"}': 1,
      '{module="webui",operation="none",status="405"}': 1,
    });
  });

  it('have a histogram whose buckets sum up to their number', async () => {
    for (let n = 0; n < 4; n++) await world.admin('GET /api/userinfo');
    await telemetry.flush();
    await addUpAll();
    const series = await told(durations);
    const labels = 'module="userinfo",operation="userinfo.get"';
    const buckets = Object.entries(series).filter(([name]) => name.includes('_bucket{'));
    const values = buckets.map(([, value]) => value);
    expect(buckets).toHaveLength(12);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(series[`${durations}_bucket{${labels},le="+Inf"}`]).toBe(4);
    expect(series[`${durations}_count{${labels}}`]).toBe(4);
    expect(series[`${durations}_sum{${labels}}`]).toBeGreaterThan(0);
  });

  it('are written after the response, which neither waits for them nor takes another round trip', async () => {
    const { portal, admin } = world;
    const ask = async () => {
      const before = portal.trips();
      expect((await admin('GET /api/userinfo')).status).toBe(200);
      return portal.trips() - before;
    };
    await portal.settled();
    const usual = await ask();
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    isDue = true;
    expect(await ask()).toBe(usual);
    isDue = false;
    expect(await portal.db.$count(telemetryBatches)).toBe(0);
    held.resolve();
    await portal.settled();
    expect(await portal.db.$count(telemetryBatches)).toBe(1);
  });

  it('are summed up once by any number of sidecars, which all return the same', async () => {
    const { sidecarDb: db } = world.portal;
    for (let n = 0; n < 20; n++) {
      telemetry.count('jobs', ['probes', 'success']);
      await telemetry.flush();
    }
    const all = await Promise.all([1, 2, 3, 4].map(() => addUpTelemetry(db, 7)));
    let taken = all.reduce((sum, one) => sum + one, 0);
    while (taken < 20) taken += await addUpTelemetry(db, 7);
    expect(taken).toBe(20);
    const expected = { '{job="probes",result="success"}': 20 };
    expect(await told('aggregator_jobs_total', 0)).toEqual(expected);
    expect(await told('aggregator_jobs_total', 1)).toEqual(expected);
  });
});

describe('the metrics of dispatcher calls', () => {
  it('are timed by site, also after the dispatcher is deleted, and deleted with the site', async () => {
    const { portal } = world;
    const member = await addMember(world, []);
    const { site, farms } = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
    await member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/servicesList/`);
    await portal.settled();
    await telemetry.flush();
    await addUpAll();
    const calls = farms[0]?.node.simulator.calls.length ?? 0;
    expect(calls).toBeGreaterThan(0);
    const count = `aggregator_upstream_duration_seconds_count{site="${site.uri}"}`;
    const counted = async () => (await told('aggregator_upstream_duration_seconds'))[count];
    expect(await counted()).toBe(calls);
    const farm = farms[0]?.farm.id;
    await portal.db.delete(dispatchers).where(eq(dispatchers.farm_id, farm));
    expect(await counted()).toBe(calls);
    await portal.db.delete(farmsTable).where(eq(farmsTable.id, farm));
    await portal.db.delete(sites).where(eq(sites.id, site.id));
    expect(await counted()).toBeUndefined();
    await Promise.all(farms.map(({ node }) => node.simulator.close()));
  });
});

describe('the metrics of logins', () => {
  it('are counted once each by their results', async () => {
    const { user } = await addMember(world, []);
    await addUpAll();
    await world.portal.sidecarDb.delete(telemetrySums);
    await logIn(world.portal, world.domain, user);
    await logIn(world.portal, world.domain, user);
    await logIn(world.portal, world.domain, user, { password: 'wrong' });
    await addUpAll();
    await addUpAll();
    expect(await told('aggregator_logins_total')).toEqual({
      '{result="success"}': 2,
      '{result="failure"}': 1,
    });
  });
});
