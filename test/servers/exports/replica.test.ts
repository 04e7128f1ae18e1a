import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { Replica } from '../../../db/replica/replica.ts';
import { readMetricsData } from '../../../functions/health/metrics/metrics-data.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { type CountingProxy, startCountingProxy } from '../../support/database/counting-proxy.ts';
import { addEvents, builtExport, startExports } from '../../support/exports/exports.ts';
import { type Ask, asker, base } from '../../support/factories.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { type Replicated, startReplicated } from '../../support/replication/replicated.ts';
import { requireService } from '../../support/services.ts';

const audit = `${base}/audit`;
const patient = { timeout: 30_000 };
const events = 5_000;

requireService('PostgreSQL', findBinaries() !== undefined)('a standby for exports and metrics', () => {
  let replicated: Replicated;
  let portal: TestPortal;
  let admin: Ask;
  let gate: pg.Client;
  let proxy: CountingProxy;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    replicated = await startReplicated();
    portal = await startPortal({ database: replicated.database });
    admin = asker(portal, await portal.login());
    await addEvents(portal.db, events);
    await portal.ownerDb.execute(sql`create function wait_for_test() returns trigger language plpgsql
      as $$ begin perform pg_advisory_xact_lock(77); return new; end $$`);
    await portal.ownerDb.execute(sql`create trigger waits before insert on exported_chunks
      for each row when (new.n = 2) execute function wait_for_test()`);
    gate = new pg.Client({ connectionString: portal.database.ownerUrl });
    await gate.connect();
    proxy = await startCountingProxy(replicated.onStandby(portal.database.sidecarUrl), { delayMs: 0 });
  }, 60_000);
  afterEach(async () => {
    await gate.query('select pg_advisory_unlock_all()');
    await replicated.resume();
    for (const stop of stops.splice(0)) await stop();
  });
  afterAll(async () => {
    await gate?.end();
    await portal?.close();
    await proxy?.close();
    await replicated?.stop();
  });

  const start = async () =>
    stops.push(await startExports(portal.database.sidecarUrl, { replicaUrl: proxy.url }));
  const isReading = async (server: pg.Client): Promise<boolean> => {
    const { rows } = await server.query(
      `select from pg_stat_activity where application_name = 'aggregator-export'`,
    );
    return rows.length > 0;
  };
  /** Whether an export has begun to read and waits before its next chunk. */
  const isAtGate = async (): Promise<boolean> => {
    const { rows } = await gate.query(
      `select from pg_locks where locktype = 'advisory' and objid = 77 and not granted`,
    );
    return rows.length > 0;
  };

  it('has the rows of an export, which is as complete as one of the primary', async () => {
    await gate.query('select pg_advisory_lock(77)');
    await start();
    const query = 'format=ndjson&event=test.Filled';
    const ordered = await admin(`GET ${audit}/export?${query}`);
    await expect.poll(isAtGate, patient).toBe(true);
    expect(await isReading(replicated.standbyAdmin)).toBe(true);
    expect(await isReading(replicated.primary.admin)).toBe(false);
    await gate.query('select pg_advisory_unlock(77)');
    const report = await builtExport(admin, audit, `export_id=${ordered.body.export_id}`);
    expect(report).toMatchObject({ state: 'ready', rows: events });
  }, 60_000);

  it('that cancels the read, because a lock is replayed, is not asked by the next attempt', async () => {
    await gate.query('select pg_advisory_lock(77)');
    await replicated.standbyAdmin.query(`alter system set max_standby_streaming_delay = 0`);
    await replicated.standbyAdmin.query('select pg_reload_conf()');
    await start();
    const ordered = await admin(`GET ${audit}/export?format=csv&event=test.Filled`);
    await expect.poll(isAtGate, patient).toBe(true);
    await replicated.primary.admin.query('begin; lock table audit_events in access exclusive mode; commit');
    await expect.poll(() => isReading(replicated.standbyAdmin), patient).toBe(false);
    await gate.query('select pg_advisory_unlock(77)');
    const report = await builtExport(admin, audit, `export_id=${ordered.body.export_id}`);
    expect(report).toMatchObject({ state: 'ready', rows: events });
  }, 90_000);

  it('answers metrics', async () => {
    const reading = connectPg({ url: proxy.url, maxConnections: 1 });
    stops.push(reading.close);
    const before = proxy.trips();
    const sources = { db: portal.sidecarDb, replica: new Replica(reading.db) };
    const { counts, fleet } = await readMetricsData(sources, new Date());
    expect(proxy.trips() - before).toBeGreaterThan(3);
    const withoutReplica = await readMetricsData({ db: portal.sidecarDb }, new Date());
    expect(counts).toEqual(withoutReplica.counts);
    expect(fleet?.sites).toEqual(withoutReplica.fleet?.sites);
  });

  it('that does not catch up in time is not read by an export', async () => {
    await replicated.pause();
    await addEvents(portal.db, 1, 'test.Late');
    await start();
    const report = await builtExport(admin, audit, 'format=csv&event=test.Late');
    expect(report).toMatchObject({ state: 'ready', rows: 1 });
  }, 60_000);
});
