import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { addUpTelemetry, appendTelemetry } from '../../../db/repositories/monitoring/telemetry.ts';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { directoryRefusals } from '../../../db/schema/identity/directory-refusals.ts';
import { providerGrants } from '../../../db/schema/identity/providers/grants.ts';
import { providerStates } from '../../../db/schema/identity/providers/states.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { jobOutbox } from '../../../db/schema/jobs/outbox.ts';
import { webhooks } from '../../../db/schema/webhooks/webhooks.ts';
import { type Queue, startQueue } from '../../../functions/health/jobs/queue/queue.ts';
import { createSystemSampler } from '../../../functions/health/system-sampler.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addNode } from '../../support/installation.ts';
import {
  accessKeys,
  type HealthPort,
  metricsPath,
  startHealthPort,
  token,
} from '../../support/monitoring/health-port.ts';
import {
  hasPrometheus,
  monitoringFolder,
  type Prometheus,
  promtool,
  startPrometheus,
} from '../../support/monitoring/prometheus.ts';
import { requireService } from '../../support/services.ts';

/** Names of the specification that do not follow the conventions of Prometheus. */
const specified = [
  ...['disk_read_count', 'disk_write_count', 'disk_read_bytes', 'disk_write_bytes'],
  ...['user_session_count', 'admin_session_count', 'auth_domain_count'],
  ...['farms_count', 'servers_count', 'sites_count'],
];

requireService('Prometheus', hasPrometheus)('Prometheus', () => {
  let database: FreshDatabase;
  let connection: Connection;
  let queue: Queue;
  let port: HealthPort;
  let prometheus: Prometheus;
  let closed: Promise<void> | undefined;
  const closePort = () => {
    closed ??= port.close();
    return closed;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    connection = connectPg({ url: database.ownerUrl, maxConnections: 4 });
    await stage(connection);
    queue = await startQueue(
      {
        databaseUrl: database.sidecarUrl,
        log: createLog({ write: () => undefined }),
        stopping: new AbortController().signal,
        isLeader: () => true,
        noteFailure: async () => undefined,
      },
      [],
    );
    port = await startHealthPort(database.sidecarUrl, { system: await exhausted() });
    prometheus = await startPrometheus({ ...port, key: accessKeys.metrics });
  });
  afterAll(async () => {
    await prometheus.stop();
    await closePort();
    await queue.stop();
    await connection.close();
    await database.drop();
  });

  it('reports no problem in the metrics except their specified names', async () => {
    await count(connection);
    const { text } = await port.ask(metricsPath, { headers: token(accessKeys.metrics) });
    const { code, output } = await promtool(['check', 'metrics'], text);
    const named = output.split('\n').flatMap((line) => /^(\w+) \S/.exec(line)?.[1] ?? []);
    expect([...new Set(named)].sort()).toEqual(specified.toSorted());
    // Warnings, and no syntax error.
    expect(code).toBe(3);
  });

  it('accepts the alert rules, which fire when they should and otherwise do not', async () => {
    expect(await promtool(['check', 'rules', 'alerts.yml'])).toMatchObject({ code: 0 });
    expect(await promtool(['test', 'rules', 'alerts.test.yml'])).toMatchObject({ code: 0 });
  });

  it('scrapes the sidecar over HTTPS with its key, and every query of the dashboard has data', async () => {
    const expressions = await dashboardExpressions();
    expect(expressions.length).toBeGreaterThan(40);
    for (const expression of expressions) await hasRows(expression);
    expect((await prometheus.query('version_info{job="aggregator"}'))[0]?.metric.version).toBe('7.0');
  });

  it('has no alert for a site in maintenance, its farm and its node', async () => {
    await expect.poll(async () => (await prometheus.rules()).length, { timeout: 10_000 }).toBe(22);
    const ofFleet = (await prometheus.rules()).filter(({ name }) => maintained.includes(name));
    expect(ofFleet).toHaveLength(maintained.length);
    for (const { query } of ofFleet) await hasRows(query);
    await connection.db.execute(sql`update sites set maintenance = true`);
    for (const { name, query } of ofFleet)
      await expect
        .poll(async () => await prometheus.query(query), { timeout: 30_000, message: name })
        .toEqual([]);
    const states = await prometheus.query('{__name__=~"aggregator_.*_state", state="maintenance"} == 1');
    expect(states.map(({ metric }) => metric.__name__).sort()).toEqual([
      'aggregator_dispatcher_state',
      'aggregator_farm_state',
      'aggregator_site_state',
    ]);
    await connection.db.execute(sql`update sites set maintenance = false`);
    for (const { query } of ofFleet) await hasRows(query);
  });

  it('has data for every alert rule in a failure', async () => {
    await expect.poll(async () => (await prometheus.rules()).length, { timeout: 10_000 }).toBe(22);
    const rules = await prometheus.rules();
    expect(rules.map(({ health }) => health)).not.toContain('err');
    for (const { name, query } of rules) if (name !== 'AggregatorSidecarDown') await hasRows(query);
    await closePort();
    await hasRows(rules.find(({ name }) => name === 'AggregatorSidecarDown')?.query ?? 'nothing');
  });

  /** Counters increase meanwhile: a rate needs two scrapes that differ. */
  const hasRows = (expression: string) =>
    expect
      .poll(
        async () => {
          await count(connection);
          return (await prometheus.query(expression)).length;
        },
        { timeout: 30_000, message: expression },
      )
      .toBeGreaterThan(0);
});

/** Rules that a maintenance inhibits. */
const maintained = [
  'AggregatorSiteDown',
  'AggregatorDispatcherDown',
  'AggregatorCircuitOpen',
  'AggregatorCertificateRefused',
  'AggregatorDispatchersSlow',
  'AggregatorSnapshotOld',
];

const [node, domain] = [newId(), newId()];

/** An installation with every failure. */
async function stage({ db }: Connection): Promise<void> {
  const past = new Date(Date.now() - 3_600_000);
  const certificate = {
    subject: 'CN=a',
    issuer: 'CN=b',
    not_after: new Date(Date.now() + 1e8).toISOString(),
  };
  const failing = {
    status: 'fail',
    last_error: 'upstream_tls:expired',
    circuit: 'open',
    certificate,
  } as const;
  const placed = { site: { uri: 'north' }, farm: { created_at: past } };
  await addNode(db, { id: node, ...failing, last_check_at: new Date() }, placed);
  const silent = { host: 'gw.example.com', token_hash: 'none', last_seen_at: past };
  await db.insert(gateways).values({ id: newId(), name: 'gw', name_key: 'gw', ...silent });
  const names = { name: 'corp', name_key: 'corp', small_name: 'corp', small_name_key: 'corp' };
  await db.insert(authenticators).values({ id: domain, type: 'ldap', ...names });
  const refusal = { account_fingerprint: 'any', refusals: 1, refused_at: past, retry_at: past };
  await db.insert(directoryRefusals).values({ authenticator_id: domain, ...refusal });
  await failingProvider(db, past);
  const receiver = { url: 'https://hooks.example.com', events: [], sealed_secret: 'none' };
  await db.insert(webhooks).values({
    ...{ id: newId(), name: 'tickets', name_key: 'tickets', active_since: past, failing_since: past },
    ...receiver,
  });
  await db.insert(jobOutbox).values({ id: newId(), kind: 'forgotten', payload: {}, created_at: past });
  await db.execute(sql`insert into audit_events (id, at, event, category, level, result)
    values (gen_random_uuid(), now() - interval '2 min', 'portal.UserLogin', 'auth', 'info', 'success')`);
}

/** A provider that does not answer, and a session that it has not confirmed for hours. */
async function failingProvider(db: Connection['db'], past: Date): Promise<void> {
  const [id, user, name] = [newId(), newId(), 'idp'];
  const names = { name, name_key: name, small_name: name, small_name_key: name };
  await db.insert(authenticators).values({ id, type: 'oidc', ...names });
  await db.insert(providerStates).values({ authenticator_id: id, failing_since: past });
  await db.insert(users).values({ id: user, authenticator_id: id, name, name_key: name });
  const checked_at = new Date(Date.now() - 8 * 3_600_000);
  await db.insert(providerGrants).values({
    ...{ id: newId(), authenticator_id: id, user_id: user, sealed_grant: 'none' },
    ...{ checked_at, next_check_at: new Date(Date.now() + 1e8) },
  });
}

/** One more step of all counters, mostly failures. */
async function count({ db }: Connection): Promise<void> {
  await appendTelemetry(db, [
    ['http_requests', ['auth', 'login.create', '503'], 1_000],
    ['http_requests', ['auth', 'login.create', '200'], 1_000],
    ['http_duration', ['auth', 'login.create', '10'], 2_000],
    ['http_duration_sum', ['auth', 'login.create'], 16_000],
    ['upstream_duration', [node, '10'], 1_000],
    ['upstream_duration_sum', [node], 8_000],
    ['jobs', ['probes', 'failure'], 1_000],
    ['logins', ['success'], 1_000],
    ['logins', ['failure'], 1_000],
  ]);
  await addUpTelemetry(db, 10);
}

/** A host without free memory and disk, and a process with hardly any free descriptors. */
async function exhausted() {
  const sampler = createSystemSampler(() => undefined);
  await sampler.sample();
  const sample = sampler.latest();
  const memory = { ...sample.memory, percent: 99 };
  const descriptors = { open: 95, max: 100 };
  return { latest: () => ({ ...sample, memory, disk: { ...sample.disk, free: 0 }, descriptors }) };
}

async function dashboardExpressions(): Promise<string[]> {
  const dashboard = JSON.parse(await readFile(join(monitoringFolder, 'dashboard.json'), 'utf8'));
  const panels: { targets?: { expr: string }[] }[] = dashboard.panels;
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}
