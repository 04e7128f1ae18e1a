import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { edgeModules } from '../../shared/tooling/build/bundles.ts';
import { bareVariables, root } from '../e2e/support/portal-process.ts';
import { hasSlapd } from '../support/directories/slapd.ts';
import { hasKdc } from '../support/pkinit/kdc.ts';
import { commitNumber } from '../support/runner/commit.ts';

const positive = expect.toSatisfy((value) => typeof value === 'number' && value > 0, 'a number above 0');
const cpu = expect.toSatisfy((ms) => ms === null || ms >= 0, 'milliseconds, null outside of Linux');
const sample = { requests_per_s: positive, p50_ms: positive, p99_ms: positive, cpu_ms: cpu };
const rate = { checks_per_s: positive, cpu_ms: positive };
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
  name,
  portal: sample,
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
    // On a busy machine, a farm may miss its time limit.
    cold: { ...times, present: expect.toBeOneOf([3, 4]) },
    cached: times,
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
  '200 users',
  '50 workplaces',
  'servicesList, 20 farms',
  'connectionInfo',
];
const memory = { rest_mb: positive, peak_mb: positive, after_mb: positive };
const withFloor = (name: string) => ({ name, portal: sample, floor: sample, ratio: positive });
const operationsFigures = {
  rows: { users: 250, workplaces: 100 },
  node: operations.map(withFloor),
  workers: operations.map((name) =>
    name === 'login' || name === 'connectionInfo' ? { name, portal: sample } : withFloor(name),
  ),
  growth: operations.map((name) => ({ name, p50: positive })),
  memory: { node: memory, workerd: memory },
};

/** The time without the hash can be negative, because the hash is measured separately. */
const trip = (name: string) => expect.objectContaining({ name, trips: positive, p50_ms: expect.any(Number) });
const tripsFigures = {
  round_trip_ms: expect.toSatisfy((ms) => ms >= 4, 'at least the delay of both directions'),
  hash_ms: positive,
  operations: [
    ...[
      'domain list',
      'userinfo',
      '50 users',
      'servicesList',
      'preconnectionInfo',
      'connectionInfo, one call',
    ],
    ...['create a tag', '  with Idempotency-Key', 'patch a site', 'delete a tag', 'create a user', 'login'],
  ].map(trip),
  pool_size: 8,
  clients: 8,
  userinfo: sample,
};

const goal = (name: string) =>
  expect.objectContaining({ name, goal: positive, measured: expect.any(Number) });
const named = (names: readonly string[]) => names.map(goal);

async function bench(...selected: string[]): Promise<unknown> {
  const program = ['shared/tooling/launch.mjs', 'test/bench/main.ts', '--quick', '--json', ...selected];
  const env = bareVariables('', []);
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root, env });
  return JSON.parse(stdout);
}

/** What a part adds to the figures, and to the table of goals. */
type PartFigures = { figures: Record<string, unknown>; goals?: unknown[] };

const parts: Readonly<Record<string, PartFigures>> = {
  operations: {
    figures: { operations: operationsFigures },
    goals: named([
      ...['userinfo', '50 users', '200 users', 'servicesList, 20 farms', 'connectionInfo'].map(
        (name) => `${name}, requests/s`,
      ),
      ...operations.filter((name) => name !== 'login').map((name) => `${name}, of its floor`),
    ]),
  },
  trips: {
    figures: { trips: tripsFigures },
    goals: named([
      'distant: slowest read, p50 ms',
      'distant: create a user without hash, ms',
      'distant: login without hash, ms',
      'distant: 8 clients, pool of 8, /s',
    ]),
  },
  starts: {
    figures: {
      starts: { first_ms: positive, later_ms: positive },
      ready: {
        ready_ms: positive,
        rest_s: 0.1,
        memory: { rss_mb: positive, pss_mb: expect.toSatisfy((mb) => mb === null || mb > 0) },
      },
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
    },
    goals: named(['ready, ms', 'resident memory at rest, MB']),
  },
  bodies: {
    figures: {
      bodies: {
        ...{ operations: expect.any(Array), worst_ms: positive },
        provisioning: { members: 200, hash_ms: positive, bodies: expect.any(Array) },
      },
    },
  },
  searches: {
    figures: { searches: { hash_ms: positive, requests: expect.any(Array), failed: [] } },
  },
  rechecks: {
    figures: {
      rechecks: {
        ...{ sessions: 100, needed_per_s: 0.1, floor: rate, alone: rate },
        beside_hanging: { ...rate, asked_in_vain: positive },
      },
    },
  },
  cards: {
    figures: {
      cards: hasKdc ? { logins: positive, portal: cardTimes, floor: cardTimes, besides: cardTimes } : null,
    },
  },
  directory: {
    figures: {
      directory: hasSlapd
        ? {
            sequential: comparison('POST …/login by LDAP'),
            logins: 200,
            served: 200,
            p50_ms: positive,
            p95_ms: positive,
            operations: ['search', 'bind', 'search'],
          }
        : null,
    },
  },
  fleet: { figures: { fleet: fleetFigures } },
  storm: {
    figures: {
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
    },
  },
  health: {
    figures: {
      health: {
        sites: 50,
        series: positive,
        asked: [comparison('GET …/health/check'), comparison('GET …/health/metrics')],
      },
    },
  },
  lists: {
    figures: {
      lists: {
        rows: { users: 1_000, audit_events: 10_000, monitoring_records: 100 },
        filled_s: positive,
        pages: pages.map(page),
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
    },
  },
  audit: {
    figures: {
      audit: {
        append: { plain_per_s: positive, audited_per_s: positive, ratio: positive },
        sealing: { per_s: positive, oldest_ms: positive },
        verification: { events: positive, per_s: positive },
      },
    },
  },
};

/** Each commit runs a part of the benchmark, because all of it takes as long as a tier of the tests. */
const share = 6;
const chosen = Object.entries(parts).filter((_, at) => at % share === commitNumber() % share);
/** Of the cases below that take a minute each, a commit runs one. */
function inTurn(at: number, title: string, test: () => Promise<void>, timeout: number): void {
  if (commitNumber() % 3 === at) it(title, test, timeout);
}

describe('npm run bench', () => {
  it('prints the figures of parts as one JSON object', async () => {
    expect(await bench(...chosen.map(([part]) => part))).toEqual({
      database: { kind: expect.stringMatching(/^(?:postgresql|pglite)$/), version: expect.any(String) },
      machine: { node: process.versions.node, cores: positive },
      effort: {
        ...loading,
        coldStarts: 1,
        lists: loading,
        logins: { ...loading, connections: 1 },
        fleet: expect.objectContaining({ farms: 4 }),
      },
      ...Object.assign({}, ...chosen.map(([, { figures }]) => figures)),
      goals: chosen.flatMap(([, { goals = [] }]) => goals),
      sources: { files: positive, median_lines: positive, p90_lines: positive },
    });
  }, 600_000);

  inTurn(
    0,
    'measures an idle sidecar',
    async () => {
      const idle = [0, 2].map((nodes) => ({ nodes, cpuS: expect.any(Number) }));
      expect(await bench('idle')).toMatchObject({ idle });
    },
    120_000,
  );

  inTurn(
    1,
    'measures the cost of each operation, and computes what installations need',
    async () => {
      const cost = expect.objectContaining({ name: 'userinfo', trips: positive, bytes: expect.any(Number) });
      const load = { users: 10_000, requests_per_s: positive, connections: positive };
      expect(await bench('capacity')).toMatchObject({
        capacity: {
          costs: expect.arrayContaining([cost]),
          loads: [load, load],
        },
      });
    },
    300_000,
  );

  inTurn(
    2,
    'runs the load test of the whole product without an error',
    async () => {
      const grown = { warm: positive, end: positive };
      expect(await bench('soak')).toMatchObject({
        soak: { requests: positive, logins: positive, errors: 0, memory_mb: grown, handles: grown },
      });
    },
    120_000,
  );
});
