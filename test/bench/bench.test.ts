import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { edgeModules } from '../../shared/tooling/build/bundles.ts';
import { bareVariables, root } from '../e2e/support/portal-process.ts';
import { hasSlapd } from '../support/directories/slapd.ts';
import { hasKdc } from '../support/pkinit/kdc.ts';

const positive = expect.toSatisfy((value) => typeof value === 'number' && value > 0, 'a number above 0');
const sample = { requests_per_s: positive, p50_ms: positive, p99_ms: positive };
const cardTimes = { p50_ms: positive, p99_ms: positive };
const workerStart = { listens_ms: positive, first_ms: positive, total_ms: positive, second_ms: positive };
const lambdaStart = { import_ms: positive, first_ms: positive, total_ms: positive };
const times = { p50_ms: positive, p95_ms: positive };
const comparison = (name: string) => ({
  name,
  portal: sample,
  floor: sample,
  ratio: { requests: positive, p50: positive, p99: positive },
});

const loading = { connections: 4, warmUpS: positive, roundS: positive, rounds: 1 };
const page = (name: string) => ({
  ...comparison(name),
  items: positive,
  statements: 2,
  plan: expect.objectContaining({ verdict: expect.stringMatching(/./) }),
});
const pages = [
  ...['first', 'deep', 'state', 'kind', 'group', 'search', 'broad search'].map((name) => `users, ${name}`),
  ...['first', 'deep', 'user', 'object_type', 'source_ip'].map((name) => `audit, ${name}`),
  ...['first', 'deep', 'level', 'search'].map((name) => `monitoring, ${name}`),
];

const fleetFigures = {
  farms: 4,
  latency_ms: 5,
  services: {
    floor: times,
    warm: { ...times, ratio: positive },
    cold: { ...times, present: 4 },
    kept_floor: { ...times, statements: 2 },
    kept: { ...times, ratio: positive },
    hanging: { ...times, lists: positive, present: 3 },
    circuit_open: { ...times, present: 3 },
  },
  hanging_sites: {
    sites: 4,
    hanging: 1,
    without: { requests: positive, p50_ms: positive, p99_ms: positive },
    with: { requests: positive, p50_ms: positive, p99_ms: positive },
    ratio: { p50: positive, p99: positive },
  },
  sync: {
    workplaces: 200,
    floor_ms: positive,
    full_ms: positive,
    unchanged_ms: positive,
    heap_mb: expect.any(Number),
  },
  workplaces: {
    sites: 10,
    farmsPerSite: 2,
    workplacesPerFarm: 100,
    rows: 2_200,
    filled_s: positive,
    pages: ['first', 'deep', 'owner', 'site', 'search'].map((name) => page(`workplaces, ${name}`)),
  },
};

const operations = [
  'domain list',
  'login',
  'userinfo',
  '50 users',
  '50 workplaces',
  'servicesList, 20 farms',
  'connectionInfo',
];
/** The documented limit. */
const tripsOf: Record<string, number> = { 'domain list': 1, login: 3, connectionInfo: 3 };
const memory = { rest_mb: positive, peak_mb: positive, after_mb: positive };
const operationsFigures = {
  sizes: [{ rows: { users: 100, workplaces: 100 }, operations: operations.map(comparison) }],
  growth: operations.map((name) => ({ name, p50: 1 })),
  workers: operations.map((name) =>
    name === 'login' || name === 'connectionInfo' ? { name, portal: sample } : comparison(name),
  ),
  costs: operations.map((name) => ({
    name,
    round_trips: expect.toSatisfy((trips) => trips > 0 && trips <= (tripsOf[name] ?? 2)),
    upstream_calls: name === 'connectionInfo' ? 1 : 0,
    cpu_ms: positive,
  })),
  memory: { node: memory, workerd: memory },
};

async function bench(...named: string[]): Promise<unknown> {
  const program = ['shared/tooling/launch.mjs', 'test/bench/main.ts', '--quick', '--json', ...named];
  const env = bareVariables('', []);
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root, env });
  return JSON.parse(stdout);
}

describe('npm run bench', () => {
  it('prints all its figures as one JSON object', async () => {
    expect(await bench()).toEqual({
      database: { kind: expect.stringMatching(/^(?:postgresql|pglite)$/), version: expect.any(String) },
      machine: { node: process.versions.node, cores: positive },
      effort: {
        ...loading,
        coldStarts: 1,
        lists: loading,
        logins: { ...loading, connections: 1 },
        fleet: expect.objectContaining({ farms: 4 }),
      },
      benchmarks: [
        comparison('GET /api/userinfo'),
        comparison('GET …/connectionInfo/{id}'),
        ...(hasSlapd ? [comparison('POST …/login by LDAP')] : []),
      ],
      cards: hasKdc ? { logins: positive, portal: cardTimes, floor: cardTimes, besides: cardTimes } : null,
      directory: hasSlapd
        ? {
            logins: 200,
            served: 200,
            p50_ms: positive,
            p95_ms: positive,
            operations: ['search', 'bind', 'search'],
          }
        : null,
      fleet: fleetFigures,
      logins: {
        login: comparison('POST …/login'),
        storm: {
          logins_per_s: positive,
          statuses: expect.objectContaining({ 200: positive }),
          refused_without_retry_after: 0,
          slowest_login_ms: positive,
          reads_per_s: positive,
          reads: { idle_p99_ms: positive, storm_p99_ms: positive, ratio: positive },
        },
        refusals: {
          attempts_each: 1,
          median_ms: {
            'wrong password': positive,
            'unknown user': positive,
            'unknown domain': positive,
            'unknown domain id': positive,
          },
          difference: expect.any(Number),
        },
      },
      health: {
        sites: 50,
        series: positive,
        asked: [comparison('GET …/health/check'), comparison('GET …/health/metrics')],
      },
      lists: {
        rows: { users: 1_000, audit_events: 10_000, monitoring_records: 100 },
        filled_s: positive,
        pages: pages.map(page),
      },
      audit: {
        append: { plain_per_s: positive, audited_per_s: positive, ratio: positive },
        sealing: { per_s: positive, oldest_ms: positive },
        verification: { events: positive, per_s: positive },
      },
      exports: {
        rows: expect.toSatisfy((rows) => rows >= 10_000),
        mb: positive,
        first_rows_s: positive,
        export_s: positive,
        // However many rows there are, only some of them are in memory.
        memory_growth_mb: expect.toSatisfy((mb) => mb < 64),
        copy_s: positive,
        ratio: positive,
      },
      operations: operationsFigures,
      bodies: { operations: expect.any(Array), worst_ms: positive },
      starts: { first_ms: positive, later_ms: positive },
      edge: {
        request: expect.any(String),
        floor: workerStart,
        workers: edgeModules.map((module) => ({
          module,
          ...workerStart,
          ratio: { first: positive, total: positive },
        })),
        lambda: edgeModules.map((module) => ({ module, ...lambdaStart })),
      },
      sources: { files: positive, median_lines: positive, p90_lines: positive },
    });
  }, 300_000);

  it('measures an idle sidecar', async () => {
    const idle = [0, 2].map((nodes) => ({ nodes, cpuS: expect.any(Number) }));
    expect(await bench('idle')).toMatchObject({ idle });
  }, 300_000);

  it('runs the load test of the whole product without an error', async () => {
    const grown = { warm: positive, end: positive };
    expect(await bench('soak')).toMatchObject({
      soak: { requests: positive, logins: positive, errors: 0, memory_mb: grown, handles: grown },
    });
  }, 120_000);
});
