import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { authenticators } from '../../../db/schema/identity/authenticators.ts';
import { directoryRefusals } from '../../../db/schema/identity/directory-refusals.ts';
import { loginSessions } from '../../../db/schema/identity/login-sessions.ts';
import { providerStates } from '../../../db/schema/identity/providers/states.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { webhooks } from '../../../db/schema/webhooks/webhooks.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { type FreezableProxy, startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { addNode, addSite } from '../../support/installation.ts';
import {
  accessKeys,
  checkPath,
  type HealthPort,
  metricsPath,
  startHealthPort,
  token,
} from '../../support/monitoring/health-port.ts';
import { parseMetrics } from '../../support/monitoring/prometheus-text.ts';

let database: FreshDatabase;
let admin: Connection;
let proxy: FreezableProxy;
let port: HealthPort;

beforeAll(async () => {
  database = await freshDatabase();
  admin = connectPg({ url: database.ownerUrl, maxConnections: 2 });
  proxy = await startFreezableProxy(database.sidecarUrl);
  port = await startHealthPort(proxy.url);
});
afterAll(async () => {
  await port.close();
  await proxy.close();
  await admin.close();
  await database.drop();
});

const scrape = (accept = 'text/plain', from = port) =>
  from.ask(metricsPath, { headers: { ...token(accessKeys.metrics), accept } });
const values = async (from = port) => {
  const families = parseMetrics((await scrape(undefined, from)).text);
  return (name: string, labels = '') => families.get(name)?.samples.get(labels);
};

const gauges = [
  ...['uptime_seconds', 'cpu_total_percent', 'virtual_memory_total_percent'],
  ...['virtual_memory_total_bytes', 'virtual_memory_available_bytes', 'virtual_memory_used_bytes'],
  ...['virtual_memory_free_bytes', 'disk_total_bytes', 'disk_used_bytes', 'disk_free_bytes'],
  ...['user_session_count', 'admin_session_count', 'auth_domain_count', 'farms_count', 'servers_count'],
  'sites_count',
];
const further = {
  gauge: [
    ...['aggregator_site_up', 'aggregator_dispatcher_up', 'aggregator_dispatcher_failure'],
    'aggregator_farm_state',
    ...['aggregator_site_state', 'aggregator_dispatcher_state', 'aggregator_audit_unsealed_age_seconds'],
    ...(process.platform === 'linux' ? ['process_open_fds', 'process_max_fds'] : []),
    ...['aggregator_gateway_up', 'aggregator_directory_account_refused'],
    ...['aggregator_provider_up', 'aggregator_provider_checks_oldest_seconds'],
    ...['aggregator_circuit_state', 'aggregator_certificate_not_after_seconds'],
    ...[
      'aggregator_snapshot_age_seconds',
      'aggregator_snapshot_ignored',
      'aggregator_jobs_waiting',
      'aggregator_jobs_oldest_seconds',
    ],
    'aggregator_audit_unsealed',
    'aggregator_webhook_up',
    ...['aggregator_webhook_events_waiting', 'aggregator_webhook_events_oldest_seconds'],
  ],
  counter: [
    ...['aggregator_http_requests_total', 'aggregator_logins_total', 'aggregator_jobs_total'],
    ...['aggregator_webhook_attempts_total', 'aggregator_alert_mails_total'],
  ],
  histogram: ['aggregator_http_request_duration_seconds', 'aggregator_upstream_duration_seconds'],
};
const counters = ['disk_read_count', 'disk_write_count', 'disk_read_bytes', 'disk_write_bytes'];

test('every line parses, every family has HELP and TYPE, and every specified name exists', async () => {
  const { text } = await scrape();
  const families = parseMetrics(text);
  const own = ['version_info', 'system_info', ...gauges, ...counters];
  expect([...families.keys()].sort()).toEqual([...own, ...Object.values(further).flat()].sort());
  for (const [type, names] of Object.entries(further))
    for (const name of names) expect(families.get(name)?.type, name).toBe(type);
  for (const name of gauges) expect(families.get(name)?.type, name).toBe('gauge');
  for (const name of counters) expect(families.get(name)?.type, name).toBe('counter');
  for (const name of own) expect(families.get(name)?.samples.size, name).toBe(1);
  for (const name of [...gauges, ...counters]) {
    const value = families.get(name)?.samples.get('');
    expect(Number.isFinite(value) && Number(value) >= 0, name).toBe(true);
  }
  expect(text).toContain('\nversion_info{version="7.0"} 1.0\n');
  expect(text).toMatch(/^system_info\{machine="[^"]+",os="[^"]+",version="[^"]+"\} 1\.0$/m);
  expect(text).toContain('# TYPE farms_count gauge\n');
});

test.each([
  'application/json',
  'application/openmetrics-text;version=1.0.0',
  'image/png',
])('the text format is returned for Accept: %s as well', async (accept) => {
  const { status, headers } = await scrape(accept);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4');
});

test('the metrics count sites, farms, nodes and domains', async () => {
  const before = await values();
  await addNode(admin.db);
  await addSite(admin.db);
  await addDomain();
  const after = await values();
  const risen = (name: string) => Number(after(name)) - Number(before(name));
  expect(['sites_count', 'farms_count', 'servers_count', 'auth_domain_count'].map(risen)).toEqual([
    2, 1, 1, 1,
  ]);
});

test('the metrics count the valid sessions by portal', async () => {
  const domain = await addDomain();
  const user = await addUser(domain);
  const before = await values();
  await addSession(user, 'user');
  await addSession(user, 'user');
  await addSession(user, 'admin');
  await addSession(user, 'user', { ageS: 14_401 });
  await addSession(user, 'admin', { ageS: 3_600, idleS: 1_801 });
  await addSession(await addUser(domain, 'inactive'), 'user');
  await addSession(await addUser(await addDomain('disabled')), 'admin');
  const after = await values();
  const risen = (name: string) => Number(after(name)) - Number(before(name));
  expect([risen('user_session_count'), risen('admin_session_count')]).toEqual([2, 1]);
  await admin.db.execute(
    sql`insert into system_parameters values ('session.user_absolute_s', '20000', now()), ('session.idle_s', '86400', now())`,
  );
  const longer = await values();
  expect(Number(longer('user_session_count')) - Number(after('user_session_count'))).toBe(1);
  expect(Number(longer('admin_session_count')) - Number(after('admin_session_count'))).toBe(1);
});

test('states of sites, farms and dispatchers are one series each, exactly one of them 1', async () => {
  const { db } = admin;
  const passing = { status: 'pass', last_check_at: new Date() } as const;
  await addNode(db, { ...passing, name: 's1' }, { site: { uri: 's-pass' } });
  await addNode(db, { status: 'fail', name: 's2' }, { site: { uri: 's-fail' }, farm: { name: 'f2' } });
  await addNode(db, { status: 'fail', name: 's3' }, { site: { uri: 's-kept', maintenance: true } });
  await addNode(db, { status: 'fail', name: 's4' }, { site: { uri: 's-off', enabled: false } });
  await addNode(db, { name: 's5' }, { site: { uri: 's-new' } });
  await addNode(db, { status: 'fail', name: 's6' }, { site: { uri: 's-farm' }, farm: { maintenance: true } });
  const samples = parseMetrics((await scrape()).text);
  const currentOf = (family: string, key: string) =>
    [...(samples.get(family)?.samples ?? [])].flatMap(([labels, value]) =>
      labels.includes(key) ? [`${/state="(\w+)"/.exec(labels)?.[1]} ${value}`] : [],
    );
  const current = (family: string, key: string) =>
    currentOf(family, key).filter((state) => state.endsWith(' 1'));
  const sites = ['s-pass', 's-fail', 's-kept', 's-off', 's-new', 's-farm'];
  expect(sites.map((uri) => current('aggregator_site_state', `site="${uri}"`))).toEqual([
    ['pass 1'],
    ['fail 1'],
    ['maintenance 1'],
    ['disabled 1'],
    ['unknown 1'],
    ['maintenance 1'],
  ]);
  expect(currentOf('aggregator_site_state', 'site="s-pass"')).toHaveLength(5);
  const nodes = ['s1', 's2', 's3', 's4', 's5', 's6'];
  expect(nodes.map((name) => current('aggregator_dispatcher_state', `dispatcher="${name}"`))).toEqual([
    ['pass 1'],
    ['fail 1'],
    ['maintenance 1'],
    ['disabled 1'],
    ['unknown 1'],
    ['maintenance 1'],
  ]);
  expect(sites.map((uri) => current('aggregator_farm_state', `site="${uri}"`))).toEqual([
    ['pass 1'],
    ['fail 1'],
    ['maintenance 1'],
    ['disabled 1'],
    ['unknown 1'],
    ['maintenance 1'],
  ]);
  // Only the state of a disabled node is measured.
  const ofDisabled = [...samples].filter(([, { samples: own }]) =>
    [...own.keys()].some((labels) => labels.includes('dispatcher="s4"')),
  );
  expect(ofDisabled.map(([name]) => name)).toEqual(['aggregator_dispatcher_state']);
});

test('the age of the oldest event outside of the chain is a metric, 0 without one', async () => {
  const name = 'aggregator_audit_unsealed_age_seconds';
  expect((await values())(name)).toBe(0);
  const add = (age: string) =>
    admin.db.execute(sql`insert into audit_events (id, at, event, category, level, result)
      values (gen_random_uuid(), now() - ${age}::interval, 'portal.UserLogin', 'auth', 'info', 'success')`);
  await add('-1 hour');
  expect((await values())(name)).toBe(0);
  await add('90 s');
  await add('5 s');
  const age = Number((await values())(name));
  expect(age).toBeGreaterThanOrEqual(90);
  expect(age).toBeLessThan(150);
});

test('a directory that rejects the password of its account is a metric', async () => {
  const { db } = admin;
  const name = 'aggregator_directory_account_refused';
  const [id, label] = [newId(), 'refusing'];
  const names = { name: label, name_key: label, small_name: label, small_name_key: label };
  await db.insert(authenticators).values({ id, type: 'ldap', ...names });
  expect((await values())(name, `{domain="${label}"}`)).toBe(0);
  const at = new Date();
  const refusal = { account_fingerprint: 'any', refusals: 1, refused_at: at, retry_at: at };
  await db.insert(directoryRefusals).values({ authenticator_id: id, ...refusal });
  expect((await values())(name, `{domain="${label}"}`)).toBe(1);
  await db.update(authenticators).set({ state: 'disabled' }).where(eq(authenticators.id, id));
  expect((await values())(name, `{domain="${label}"}`)).toBeUndefined();
});

test('an identity provider that does not answer is a metric', async () => {
  const { db } = admin;
  const [id, label] = [newId(), 'silent'];
  const names = { name: label, name_key: label, small_name: label, small_name_key: label };
  await db.insert(authenticators).values({ id, type: 'oidc', ...names });
  const labels = `{domain="${label}"}`;
  expect((await values())('aggregator_provider_up', labels)).toBe(1);
  expect((await values())('aggregator_provider_checks_oldest_seconds', labels)).toBe(0);
  await db.insert(providerStates).values({ authenticator_id: id, failing_since: new Date() });
  expect((await values())('aggregator_provider_up', labels)).toBe(0);
});

test('a webhook whose deliveries fail is a metric while it is enabled', async () => {
  const { db } = admin;
  const id = newId();
  const names = { name: 'tickets', name_key: 'tickets', url: 'https://hooks.example.com', events: [] };
  await db.insert(webhooks).values({ id, ...names, sealed_secret: 'none', active_since: new Date() });
  const up = async () => (await values())('aggregator_webhook_up', '{webhook="tickets"}');
  const change = (members: Partial<typeof webhooks.$inferInsert>) =>
    db.update(webhooks).set(members).where(eq(webhooks.id, id));
  expect(await up()).toBe(1);
  await change({ failing_since: new Date() });
  expect(await up()).toBe(0);
  await change({ enabled: false });
  expect(await up()).toBeUndefined();
});

test('the descriptors of the process are counted, and their limit', async () => {
  if (process.platform !== 'linux') return;
  const value = await values();
  expect(value('process_open_fds')).toBeGreaterThan(10);
  expect(value('process_max_fds')).toBeGreaterThan(Number(value('process_open_fds')));
});

test('a scrape that waits for the database does not block a health check', async () => {
  const locker = new pg.Client({ connectionString: database.ownerUrl });
  await locker.connect();
  await locker.query('begin');
  await locker.query('lock table audit_events, telemetry_sums in access exclusive mode');
  const scraped = scrape();
  const waiting = sql<boolean>`exists(select 1 from pg_locks where locktype = 'relation' and not granted)`;
  const isWaiting = async () =>
    (await admin.db.select({ waiting }).from(sql`(values (1)) as once`))[0]?.waiting;
  await expect.poll(isWaiting).toBe(true);
  const { text } = await port.ask(checkPath, { headers: token(accessKeys.check) });
  await locker.end();
  expect(JSON.parse(text).checks['database:responseTime']).toMatchObject([{ status: 'pass' }]);
  expect((await scraped).status).toBe(200);
});

test('a name with a Unicode line separator is returned unchanged', async () => {
  const name = 'Farm 7\u2028#1';
  await addNode(admin.db, { name });
  const { text } = await scrape();
  expect(parseMetrics(text).get('aggregator_circuit_state')?.samples.get(`{dispatcher="${name}"}`)).toBe(0);
});

test('during an outage of the database the host metrics and the last counts are returned', async () => {
  const before = await values();
  proxy.freeze();
  const { text, status, tookMs } = await scrape();
  proxy.thaw();
  expect(status).toBe(200);
  expect(tookMs).toBeLessThan(1_000);
  const samples = parseMetrics(text);
  expect(samples.get('sites_count')?.samples.get('')).toBe(before('sites_count'));
  expect(samples.get('virtual_memory_total_bytes')?.samples.get('')).toBe(
    before('virtual_memory_total_bytes'),
  );
});

test('counts that were never read are NaN instead of zero', async () => {
  const fresh = await startFreezableProxy(database.sidecarUrl);
  fresh.freeze();
  const blind = await startHealthPort(fresh.url);
  const value = await values(blind);
  expect(value('sites_count')).toBeNaN();
  expect(value('disk_total_bytes')).toBeGreaterThan(0);
  await fresh.close();
  await blind.close();
});

async function addDomain(state: 'visible' | 'disabled' = 'visible'): Promise<string> {
  const id = newId();
  const names = { name: id, name_key: id, small_name: id, small_name_key: id };
  await admin.db.insert(authenticators).values({ id, ...names, type: 'internal', state });
  return id;
}

async function addUser(domain: string, state: 'active' | 'inactive' = 'active'): Promise<string> {
  const id = newId();
  await admin.db.insert(users).values({ id, authenticator_id: domain, name: id, name_key: id, state });
  return id;
}

async function addSession(
  user: string,
  portal: 'user' | 'admin',
  { ageS = 60, idleS = 0 } = {},
): Promise<void> {
  const id = newId();
  await admin.db.insert(loginSessions).values({
    id,
    token_hash: id,
    user_id: user,
    portal,
    source_ip: '127.0.0.1',
    created_at: new Date(Date.now() - ageS * 1000),
    last_seen_at: new Date(Date.now() - idleS * 1000),
  });
}
