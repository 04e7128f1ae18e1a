import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultRoles } from '../../../../db/roles.ts';
import { prepareSchema } from '../../../../shared/tooling/start/prepared-database.ts';
import { findBinaries } from '../../../../shared/tooling/start/throwaway-postgres.ts';
import { accepted, type Json } from '../../../e2e/support/api.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../../support/database/pgbouncer.ts';
import { startPsql } from '../../../support/database/psql.ts';
import {
  backendsOf,
  base,
  type DatabaseServer,
  type RunningPortal,
  startDatabaseServer,
  startPortalOn,
} from '../../../support/database/stand.ts';
import { requireService } from '../../../support/services.ts';

const patient = { timeout: 60_000 };
const isPossible = hasPgbouncer && findBinaries() !== undefined;
const users = [...Object.values(defaultRoles), 'app'];

requireService('pgbouncer', isPossible)('a portal and its sidecar behind PgBouncer', () => {
  let server: DatabaseServer;
  let bouncer: Pgbouncer;
  let portal: RunningPortal;
  const ask = (route: string, body?: unknown, headers: Record<string, string> = {}) =>
    portal.api.send(route, { token: portal.token, headers, ...(body !== undefined && { body }) });
  const read = (route: string): Promise<Json> => accepted(portal.api, route, { token: portal.token });

  beforeAll(async () => {
    server = await startDatabaseServer();
    // The roles keep their settings, and PgBouncer drops startup parameters: the usual configuration.
    bouncer = await startPgbouncer({ server: server.url, users, ignored: ['options'], poolSize: 3 });
    const { address } = server;
    const through = { url: bouncer.through(address.url), sidecarUrl: bouncer.through(address.sidecarUrl) };
    portal = await startPortalOn({ ...address, ...through }, { LOG_LEVEL: 'info' });
  }, 120_000);
  afterAll(async () => {
    await portal?.stop();
    await bouncer?.stop();
    await server?.stop();
  });

  it('serve many concurrent requests through three server sessions, each change once', async () => {
    const keys = Array.from({ length: 40 }, () => randomUUID());
    const create = (n: number, headers: Record<string, string>) =>
      ask(`POST ${base}/tags`, { name: `tag-${n}` }, headers);
    const answers = await Promise.all(
      keys.flatMap((key, n) => [
        create(n, { 'idempotency-key': key }),
        create(n, { 'idempotency-key': key }),
        ask(`GET ${base}/sites`),
        create(n + 100, { 'x-dry-run': 'true' }),
      ]),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    // A repeated request during the first one is refused with a retryable error.
    expect([...statuses].filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
    for (const [n, key] of keys.entries())
      expect((await create(n, { 'idempotency-key': key })).status).toBe(201);
    expect((await read(`GET ${base}/tags?limit=500`)).items).toHaveLength(keys.length);
    const { rows } = await server.admin.query(
      'select usename, count(*)::int as n from pg_stat_activity where usename = any($1) group by 1',
      [users.slice(0, -1)],
    );
    for (const { n } of rows) expect(n).toBeLessThanOrEqual(3);
  }, 60_000);

  it('seal the audit and build an export at the first attempt', async () => {
    const verdict = () => read(`GET ${base}/audit/verify`);
    await expect.poll(async () => (await verdict()).sealed_to, patient).toBeGreaterThan(20);
    expect((await verdict()).ok).toBe(true);
    // Pages of rows, with other statements of the same sessions between them.
    await server.admin.query(`insert into audit_events (id, at, event, category, level, result)
      select gen_random_uuid(), now(), 'test.Filled', 'system', 'info', 'success' from generate_series(1, 20000)`);
    const { export_id } = await read(`GET ${base}/audit/export?format=ndjson&event=test.Filled`);
    const report = () => read(`GET ${base}/audit/export?export_id=${export_id}`);
    await expect.poll(async () => (await report()).state, patient).toBe('ready');
    expect((await report()).rows).toBe(20_000);
    // The job is completed after its export.
    const jobs = async () =>
      (
        await server.admin.query(
          `select state::text, retry_count from pgboss.job where name = 'build-export'`,
        )
      ).rows;
    await expect.poll(jobs, patient).toEqual([{ state: 'completed', retry_count: 0 }]);
    // The cursor, its transaction and its locks are gone.
    const left = async () =>
      (
        await server.admin.query(`select
          (select count(*)::int from pg_stat_activity where state like 'idle in transaction%') as transactions,
          (select count(*)::int from pg_locks where locktype = 'advisory') as locks`)
      ).rows;
    await expect.poll(left, patient).toEqual([{ transactions: 0, locks: 0 }]);
  }, 120_000);

  it('log once each how the limits are set', async () => {
    const { stderr } = await portal.process.stop();
    const lines = stderr.split('\n').filter((line) => line.includes('database timeouts are set'));
    const messages = lines
      .map((line) => JSON.parse(line))
      .map(({ message, pooled }) => `${message} ${pooled}`);
    expect(messages).toContain('database timeouts are set by settings of the role true');
    expect(new Set(messages).size).toBeLessThanOrEqual(2);
    expect(stderr).not.toMatch(/"level":"error"/);
  }, 60_000);

  it('leave nothing in the shared sessions of PgBouncer', async () => {
    expect(await backendsOf(server.admin, 'aggregator-migrate')).toEqual([]);
    for (const url of [server.address.url, server.address.sidecarUrl]) {
      const psql = startPsql(bouncer.through(url));
      await psql.run(`select 1 / (count(*) = 0)::int from pg_settings where source = 'session'
        and name like any (array['%timeout', 'search_path', 'default_transaction%']);`);
      await psql.end();
    }
  });
});

requireService('pgbouncer', isPossible)('a migration behind PgBouncer', () => {
  let server: DatabaseServer;
  let bouncer: Pgbouncer;

  beforeAll(async () => {
    server = await startDatabaseServer();
    bouncer = await startPgbouncer({ server: server.url, users });
  }, 60_000);
  afterAll(async () => {
    await bouncer?.stop();
    await server?.stop();
  });

  describe('a migration through PgBouncer', () => {
    it('is refused in one line that names the variable, and not needed when the schema is current', async () => {
      const { address } = server;
      await server.admin.query(`update drizzle.sql_files set digest = 'older' where name = 'groups.sql'`);
      const pooled = { ...address, ownerUrl: bouncer.through(address.ownerUrl) };
      const refusal = await prepareSchema(pooled).then(String, (error: Error) => error.message);
      expect(refusal).toMatch(
        /^DATABASE_OWNER_URL: the URL connects through a transaction pooler.*the address of the server$/,
      );
      await prepareSchema(address);
      await prepareSchema(pooled);
      const { rows } = await server.admin.query(`select from pg_locks where locktype = 'advisory'`);
      expect(rows).toEqual([]);
    }, 60_000);
  });

  it('that cannot lock a table does not block others, and is retried', async () => {
    const psql = startPsql(server.url);
    await psql.run('begin; lock table pgboss.version;');
    const migrated = prepareSchema(server.address);
    const attempts = new Set<string>();
    const look = async () => {
      const { rows } = await server.admin.query<{ at: string }>(
        `select query_start::text as at from pg_stat_activity
         where application_name = 'aggregator-migrate' and wait_event_type = 'Lock'`,
      );
      for (const { at } of rows) attempts.add(at);
      return attempts.size;
    };
    await expect.poll(look, patient).toBeGreaterThan(1);
    await psql.end();
    await migrated;
  }, 90_000);
});
