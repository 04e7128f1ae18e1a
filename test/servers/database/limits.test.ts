import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Agent } from 'undici';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { accepted } from '../../e2e/support/api.ts';
import { startPsql } from '../../support/database/psql.ts';
import {
  backendsOf,
  base,
  type DatabaseServer,
  type LoadAnswer,
  type RunningPortal,
  startDatabaseServer,
  startLoad,
  startPortalOn,
  watchBackends,
} from '../../support/database/stand.ts';
import { askOver, checkPath, token as keyHeader } from '../../support/monitoring/health-port.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';

const patient = { timeout: 60_000 };
/** The pool of the portal, and those of the sidecar: jobs 3, merges 6, answers 3, lease 1. */
const most = { 'aggregator-portal': 10, 'aggregator-sidecar': 13, 'aggregator-queue': 4 };
const sites = (query = '') => ({ route: `GET ${base}/sites${query}` });

requireService('postgresql', findBinaries() !== undefined)('a database that does not answer', () => {
  let server: DatabaseServer;
  let portal: RunningPortal;
  let agent: Agent;
  const frozen: number[] = [];

  beforeAll(async () => {
    server = await startDatabaseServer();
    portal = await startPortalOn(server.address);
    agent = new Agent({ connect: { ca: readFileSync(portal.announcement.ca_file, 'utf8') } });
  }, 120_000);
  afterEach(async () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
    await expect.poll(status, patient).toBe(200);
  });
  afterAll(async () => {
    await agent?.destroy();
    await portal?.stop();
    await server?.stop();
  });

  const status = async () => (await portal.api.send(sites().route, { token: portal.token })).status;
  const check = () =>
    askOver(agent, `${portal.healthUrl}${checkPath}`, {
      headers: keyHeader(portal.announcement.health_check_access_key),
    });

  /** Only successes and retryable refusals, each within the time limit. */
  function expectRefusals(answers: readonly LoadAnswer[]): void {
    const refused = answers.filter(({ status }) => status >= 300 || status === 0);
    expect(refused.length).toBeGreaterThan(100);
    const kinds = new Set(refused.map((one) => `${one.status} ${one.code} ${one.retryAfter}`));
    expect(kinds).toContain('503 database_unavailable 5');
    // When the database answers again, what still waits for a connection is refused as overload.
    expect([...kinds].filter((kind) => kind !== '503 overloaded 5')).toHaveLength(1);
    // 3 s for a connection of the pool, some more for a lock or a statement; the rest is for a busy machine.
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(25_000);
  }

  it('because a table is locked uses no connections beyond the pools, and recovers by itself', async () => {
    await expect.poll(status, patient).toBe(200);
    const watched = watchBackends(server.admin, Object.keys(most));
    const psql = startPsql(server.url);
    await psql.run('begin; lock table sites, dispatchers, farms;');
    const load = startLoad(portal, () => sites());
    const refused = () => load.answers.filter(({ status }) => status === 503).length;
    // Several times as many as there are connections, for longer than the lock timeout of a statement.
    await expect.poll(refused, patient).toBeGreaterThan(1_000);
    const { status: health, tookMs } = await check();
    expect([200, 503]).toContain(health);
    expect(tookMs).toBeLessThan(10_000);
    await psql.end();
    await expect.poll(status, patient).toBe(200);
    expectRefusals(await load.stop());
    const counted = await watched();
    expect(counted['aggregator-portal']).toBe(most['aggregator-portal']);
    for (const [application, limit] of Object.entries(most))
      expect(counted[application] ?? 0).toBeLessThanOrEqual(limit);
    await expect.poll(async () => (await check()).status, patient).toBe(200);
  }, 180_000);

  it('because all backends are frozen uses no connections beyond the pools either', async () => {
    const warm = startLoad(portal, () => sites(), 2);
    const pids = () => backendsOf(server.admin, 'aggregator-portal');
    await expect.poll(async () => (await pids()).length, patient).toBe(most['aggregator-portal']);
    await warm.stop();
    const watched = watchBackends(server.admin, ['aggregator-portal']);
    const before = await pids();
    frozen.push(...before);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const load = startLoad(portal, () => sites(), 20);
    // By then most frozen connections have been closed, and their statements cancelled; some belong to the test.
    const given = () => load.answers.filter(({ status, ms }) => status === 503 && ms > 10_000).length;
    await expect.poll(given, patient).toBeGreaterThanOrEqual(frozen.length / 2);
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
    await expect.poll(status, patient).toBe(200);
    expectRefusals(await load.stop());
    expect((await watched())['aggregator-portal']).toBe(most['aggregator-portal']);
    // Closed connections are not used again.
    const kept = (await pids()).filter((pid) => before.includes(pid));
    expect(kept.length).toBeLessThanOrEqual(before.length / 2);
  }, 180_000);

  it('ends the statement of a killed process', async () => {
    const path = fileURLToPath(new URL('../../support/processes/waiting-process.ts', import.meta.url));
    const env = { ...programVariables, DATABASE_URL: server.address.url };
    const child = spawn(process.execPath, [path], { stdio: 'inherit', env });
    const asleep = async () => {
      const { rows } = await server.admin.query(
        `select application_name from pg_stat_activity where wait_event = 'PgSleep' order by 1`,
      );
      return rows.map(({ application_name }) => application_name);
    };
    // A client without the settings, whose statement the server would finish although its client has disconnected.
    const other = new pg.Client({ connectionString: server.url, application_name: 'other' });
    other.on('error', () => undefined);
    await other.connect();
    const lost = other.query('select pg_sleep(300)').catch(() => undefined);
    await expect.poll(asleep, patient).toEqual(['other', 'waiting']);
    child.kill('SIGKILL');
    other.connection.stream.destroy();
    await lost;
    await expect.poll(asleep, { timeout: 40_000 }).toEqual(['other']);
    await server.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'other'`,
    );
  }, 120_000);

  it('because it is read-only or out of connections answers 503, and recovers afterwards', async () => {
    const { admin, address } = server;
    const role = new URL(address.url).username;
    const cut = () =>
      admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
    const write = (n: number) => ({ route: `POST ${base}/tags`, body: { name: `tag-${n}` } });
    const send = ({ route, body }: { route: string; body?: unknown }) =>
      portal.api.send(route, { token: portal.token, body });
    const refusal = { status: 503, body: { code: 'database_unavailable', retryable: true } };

    await admin.query(`alter role ${role} set default_transaction_read_only = on`);
    await cut();
    await expect.poll(() => send(write(1)), patient).toMatchObject(refusal);
    const load = startLoad(portal, write, 10);
    await expect.poll(() => load.answers.length, patient).toBeGreaterThan(200);
    expectRefusals(await load.stop());
    await admin.query(`alter role ${role} reset default_transaction_read_only`);
    await cut();
    await expect.poll(async () => (await send(write(2))).status, patient).toBe(201);

    await admin.query(`alter role ${role} connection limit 0`);
    await cut();
    await expect
      .poll(() => send(sites()), patient)
      .toMatchObject({
        ...refusal,
        headers: { 'retry-after': '5' },
      });
    const reads = startLoad(portal, () => sites(), 10);
    await expect.poll(() => reads.answers.length, patient).toBeGreaterThan(200);
    expectRefusals(await reads.stop());
    await admin.query(`alter role ${role} connection limit -1`);
    await expect.poll(status, patient).toBe(200);
    await accepted(portal.api, `GET ${base}/tags`, { token: portal.token });
  }, 180_000);
});
