import { describe, expect, test } from 'vitest';
import type { HealthFacts, SiteFacts } from '../../../db/repositories/sites/probes.ts';
import { brokerName, type HealthInput, reportHealth } from '../../../functions/health/check/usecases.ts';

const site = (given: Partial<SiteFacts> = {}): SiteFacts => ({
  uri: 'north.example',
  enabled: true,
  maintenance: false,
  nodes: 1,
  pass_age_s: 3,
  unprobed_age_s: null,
  ...given,
});
const failing = (given: Partial<SiteFacts> = {}) => site({ pass_age_s: null, ...given });
const facts = (sites: SiteFacts[], overrides: HealthFacts['overrides'] = null): HealthFacts => ({
  overrides,
  workers: ['host-a'],
  sites,
  forwards: [],
});
const fresh = (value: HealthFacts, isWritable = true): HealthInput => ({
  value,
  isFresh: true,
  ageS: 0,
  waitedS: 0.004,
  isWritable,
  servingS: 120,
});
const report = (sites: SiteFacts[], overrides: HealthFacts['overrides'] = null) =>
  reportHealth(fresh(facts(sites, overrides)), 'broker');
const siteStatuses = (sites: SiteFacts[], overrides: HealthFacts['overrides'] = null) =>
  report(sites, overrides).checks['sites:connectionTest'].map(({ status }) => status);

describe('the health of a site', () => {
  test('passes by a probe that is at most three intervals old', () => {
    expect(siteStatuses([site({ pass_age_s: 45 }), site({ pass_age_s: 45.1 })])).toEqual(['pass', 'fail']);
  });

  test('is computed with the configured interval', () => {
    expect(siteStatuses([site({ pass_age_s: 4 })], { 'aggregator.health_interval_s': 1 })).toEqual(['fail']);
  });

  test('passes while it is disabled or in maintenance, whatever the state of its nodes', () => {
    expect(siteStatuses([failing({ enabled: false }), failing({ maintenance: true })])).toEqual([
      'pass',
      'pass',
    ]);
  });

  test('passes without nodes', () => {
    expect(siteStatuses([failing({ nodes: 0 })])).toEqual(['pass']);
  });

  test('has a state besides its status, which is `fail` only for the state `fail`', () => {
    const entries = report([
      site({ uri: 'a' }),
      failing({ uri: 'b' }),
      failing({ uri: 'c', maintenance: true }),
      failing({ uri: 'd', enabled: false, maintenance: true }),
      failing({ uri: 'e', nodes: 0 }),
    ]).checks['sites:connectionTest'];
    expect(entries.map(({ componentId, status, state }) => [componentId, status, state])).toEqual([
      ['a', 'pass', 'pass'],
      ['b', 'fail', 'fail'],
      ['c', 'pass', 'maintenance'],
      ['d', 'pass', 'disabled'],
      ['e', 'pass', 'unknown'],
    ]);
  });

  test('is unknown for three intervals before its first probe, then fails', () => {
    const states = [45, 45.1].map((unprobed_age_s) => failing({ unprobed_age_s }));
    expect(report(states).checks['sites:connectionTest'].map(({ state }) => state)).toEqual([
      'unknown',
      'fail',
    ]);
    expect(report(states.slice(0, 1)).status).toBe('pass');
  });
});

describe('the overall health status', () => {
  test.each([
    ['passes without any site', [], 'pass'],
    ['passes with one of two sites', [site(), failing()], 'pass'],
    ['fails when every counted site fails', [failing(), failing()], 'fail'],
    [
      'does not let a site in maintenance stand for the others',
      [failing(), site({ maintenance: true })],
      'fail',
    ],
    [
      'counts no site that is disabled, in maintenance or without nodes',
      [failing({ enabled: false }), failing({ maintenance: true }), failing({ nodes: 0 })],
      'pass',
    ],
  ])('%s', (_title, sites, expected) => {
    expect(report(sites).status).toBe(expected);
  });

  test('fails for one counted site if that is configured', () => {
    const demanded = { 'monitoring.site_failure_fails_health': true };
    expect(report([site(), failing()], demanded).status).toBe('fail');
    expect(report([site(), failing({ nodes: 0 })], demanded).status).toBe('pass');
  });

  test('fails with the database when it does not accept writes, and the rest stays unchanged', () => {
    const { status, checks } = reportHealth(fresh(facts([site()]), false), 'broker');
    expect(status).toBe('fail');
    expect(checks['database:responseTime']).toMatchObject([{ status: 'fail', observedValue: 0.004 }]);
    const others = Object.entries(checks).flatMap(([name, own]) => (name.startsWith('database') ? [] : own));
    expect(new Set(others.map((entry) => entry.status))).toEqual(new Set(['pass']));
  });

  test('fails when no worker serves the job queue', () => {
    const { status, checks } = reportHealth(fresh({ ...facts([]), workers: [] }), 'broker');
    expect(status).toBe('fail');
    expect(checks['celery:connectionTest']).toEqual([
      { componentId: 'jobs(common)', componentType: 'component', status: 'fail', state: 'fail' },
    ]);
  });
});

describe('the health without an answer of the database', () => {
  const stale = (ageS: number): HealthInput => ({
    value: facts([site({ pass_age_s: 10 })]),
    isFresh: false,
    ageS,
    waitedS: 0.9001234567,
    isWritable: true,
    servingS: 120,
  });

  test('fails in every dependent part, with the seconds waited', () => {
    const { status, checks } = reportHealth(stale(1), 'broker');
    expect(status).toBe('fail');
    expect(checks['database:responseTime']).toEqual([
      {
        componentId: 'default',
        componentType: 'datastore',
        observedValue: 0.900123,
        observedUnit: 's',
        status: 'fail',
        state: 'fail',
      },
    ]);
    expect(checks['messages_broker:connectionTest'][0]?.status).toBe('fail');
    expect(checks['celery:connectionTest'].map((entry) => entry.status)).toEqual(['fail']);
  });

  test('has sites from their last probes, which expire', () => {
    const statusAfter = (ageS: number) =>
      reportHealth(stale(ageS), 'broker').checks['sites:connectionTest'][0]?.status;
    expect([statusAfter(34), statusAfter(36)]).toEqual(['pass', 'fail']);
  });

  test('has one failing entry for sites that were never read', () => {
    const unknown = {
      value: undefined,
      isFresh: false,
      ageS: 0,
      waitedS: 0.9,
      isWritable: true,
      servingS: 120,
    };
    expect(reportHealth(unknown, 'broker').checks['sites:connectionTest']).toEqual([
      { componentId: 'sites', componentType: 'component', status: 'fail', state: 'fail' },
    ]);
  });
});

test('has the broker without its password, in any position', () => {
  expect(brokerName('postgres://app:s3cr%40t@db.example:5432/portal?password=other')).toBe(
    'postgres://app:**@db.example:5432/portal',
  );
  expect(brokerName('postgres://app@127.0.0.1/portal')).toBe('postgres://app@127.0.0.1/portal');
  expect(brokerName('postgres://[::1]:5432/portal')).toBe('postgres://[::1]:5432/portal');
});

test('has no placeholder for a server as the broker', () => {
  expect(brokerName('postgres://sidecar@embedded:5432/postgres?host=%2Fvar%2Fdata')).toBe(
    'embedded database',
  );
  expect(brokerName('postgres://app:pw@localhost/portal?host=%2Frun%2Fpostgresql')).toBe(
    'postgres://app:**@/portal?host=/run/postgresql',
  );
  expect(brokerName('postgres://app@localhost/portal?host=db.example')).toBe(
    'postgres://app@db.example/portal',
  );
});

describe('the health of a log collector', () => {
  const collectors = { fluentd: 'tcp://logs.example:24224', syslog: 'syslog+tls://sink.example:6514' };
  const entriesOf = (forwards: HealthFacts['forwards']) => {
    const { status, checks } = reportHealth(fresh({ ...facts([]), forwards }), 'broker', collectors);
    return [status, checks['fluentd:connectionTest'].map((entry) => [entry.componentId, entry.status])];
  };
  const state = { seq: 7, error: null, checkedAgeS: 2 };

  test('passes while due events reach it, and fails the whole check otherwise', () => {
    expect(
      entriesOf([
        { ...state, target: 'fluentd' },
        { ...state, target: 'syslog' },
      ]),
    ).toEqual([
      'pass',
      [
        ['fluentd(logs.example:24224)', 'pass'],
        ['syslog(sink.example:6514)', 'pass'],
      ],
    ]);
    expect(
      entriesOf([
        { ...state, target: 'fluentd', error: 'refused' },
        { ...state, target: 'syslog', checkedAgeS: 61 },
      ]),
    ).toEqual([
      'fail',
      [
        ['fluentd(logs.example:24224)', 'fail'],
        ['syslog(sink.example:6514)', 'fail'],
      ],
    ]);
  });

  test('is unknown without an attempt, until this process has run for a minute', () => {
    const stateAt = (servingS: number, forwards: HealthFacts['forwards']) => {
      const known = { ...fresh({ ...facts([]), forwards }), servingS };
      const { status, checks } = reportHealth(known, 'broker', { fluentd: collectors.fluentd });
      const [entry] = checks['fluentd:connectionTest'];
      return [status, entry?.status, entry?.state];
    };
    expect(stateAt(60, [])).toEqual(['pass', 'pass', 'unknown']);
    expect(stateAt(61, [])).toEqual(['fail', 'fail', 'fail']);
    const old = { ...state, target: 'fluentd', checkedAgeS: 3_600 } as const;
    expect(stateAt(1, [old])).toEqual(['pass', 'pass', 'unknown']);
    expect(stateAt(61, [old])).toEqual(['fail', 'fail', 'fail']);
    expect(stateAt(1, [{ ...old, checkedAgeS: 2, error: 'refused' }])).toEqual(['fail', 'fail', 'fail']);
  });

  test('is omitted unless it is configured', () => {
    expect(report([]).checks['fluentd:connectionTest']).toEqual([]);
  });
});
