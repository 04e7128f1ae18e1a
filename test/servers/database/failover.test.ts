import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { addressIn } from '../../../shared/tooling/start/created-database.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { accepted } from '../../e2e/support/api.ts';
import {
  base,
  type DatabaseServer,
  type RunningPortal,
  startDatabaseServer,
  startLoad,
  startPortalOn,
} from '../../support/database/stand.ts';
import { type Haproxy, hasHaproxy, startHaproxy } from '../../support/replication/haproxy.ts';
import { killServer, type Standby, startStandby } from '../../support/replication/postgres-standby.ts';
import { requireService } from '../../support/services.ts';

const patient = { timeout: 60_000 };

requireService('haproxy', hasHaproxy && findBinaries() !== undefined)('HA with a synchronous standby', () => {
  let primary: DatabaseServer;
  let standby: Standby;
  let haproxy: Haproxy;
  let portal: RunningPortal;

  beforeAll(async () => {
    primary = await startDatabaseServer();
    standby = await startStandby(primary.url);
    // The throwaway server does not wait for its disk, but every commit now waits for the standby.
    await primary.admin.query('alter database aggregator set synchronous_commit = on');
    await primary.admin.query(`alter system set synchronous_standby_names = '*'`);
    await primary.admin.query('select pg_reload_conf()');
    const isSynchronous = async () => {
      const { rows } = await primary.admin.query('select sync_state from pg_stat_replication');
      return rows.some(({ sync_state }) => sync_state === 'sync');
    };
    await vi.waitUntil(isSynchronous, patient);
    haproxy = await startHaproxy({ primary: Number(new URL(primary.url).port), standby: standby.port });
    const address = Object.assign(new URL(primary.url), { port: String(haproxy.port) }).href;
    portal = await startPortalOn(addressIn(address, 'aggregator'));
  }, 120_000);
  afterAll(async () => {
    await portal?.stop();
    await haproxy?.stop();
    await standby?.stop();
    await primary?.stop();
  });

  it('the primary is killed under load: no restart, no acknowledged write lost, only 503 meanwhile', async () => {
    const names: string[] = [];
    const load = startLoad(
      portal,
      (n) => {
        names[n] = `tag-${n}`;
        return { route: `POST ${base}/tags`, body: { name: names[n] } };
      },
      25,
    );
    const written = () => load.answers.filter(({ status }) => status === 201).length;
    const refused = () => load.answers.filter(({ status }) => status === 503).length;
    await expect.poll(written, patient).toBeGreaterThan(50);
    await killServer(primary.folder);
    await expect.poll(refused, patient).toBeGreaterThan(20);
    await standby.promote();
    await haproxy.moveTo('standby');
    const [switchedAt, before] = [performance.now(), written()];
    await expect.poll(written, { ...patient, interval: 20 }).toBeGreaterThan(before);
    const tookMs = performance.now() - switchedAt;
    await expect.poll(written, patient).toBeGreaterThan(before + 50);
    const answers = await load.stop();

    const kinds = new Set(answers.map(({ status, code }) => `${status} ${code}`));
    expect([...kinds].sort()).toEqual(['201 undefined', '503 database_unavailable']);
    expect(tookMs).toBeLessThan(5_000);
    const client = new pg.Client({
      connectionString: Object.assign(new URL(standby.url), { pathname: '/aggregator' }).href,
    });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select name from tags');
    const there = new Set(rows.map(({ name }) => name));
    const acknowledged = answers.filter(({ status }) => status === 201).map(({ body }) => String(body?.name));
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);

    // The sidecar also continues.
    const unsealed = async () => (await client.query('select from audit_events where seq is null')).rowCount;
    await expect.poll(unsealed, patient).toBe(0);
    expect(await accepted(portal.api, `GET ${base}/audit/verify`, { token: portal.token })).toMatchObject({
      ok: true,
    });
    await client.end();
  }, 180_000);
});
