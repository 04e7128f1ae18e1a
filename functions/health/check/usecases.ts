import type { HealthFacts, SiteFacts } from '../../../db/repositories/probes.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { version } from '../../../shared/kernel/version.ts';
import type { Known } from '../last-known.ts';
import type { ComponentEntry, HealthReport } from './schema.ts';

type Judged = { entry: ComponentEntry; isCounted: boolean };

/**
 * The health of the installation by what is known of it. What needs the database fails when its answer did not come
 * in time; sites are then judged by the last known probes, which grow older meanwhile.
 * @param broker name of the job queue's broker, without a password
 */
export function reportHealth(known: Known<HealthFacts>, broker: string): HealthReport {
  const database = statusOf(known.isFresh);
  const sites = judgeSites(known);
  const checks = {
    'celery:connectionTest': workerEntries(known),
    'database:responseTime': [
      {
        componentId: 'default',
        componentType: 'datastore',
        observedValue: Math.round(known.waitedS * 1e6) / 1e6,
        observedUnit: 's',
        status: database,
      },
    ],
    'messages_broker:connectionTest': [component(broker, known.isFresh)],
    'fluentd:connectionTest': [],
    'sites:connectionTest': sites.map(({ entry }) => entry),
  } satisfies HealthReport['checks'];
  const isJobsRunning = checks['celery:connectionTest'].every(({ status }) => status === 'pass');
  const isPassing = known.isFresh && isJobsRunning && !doSitesFail(sites, known.value?.overrides);
  return { version, description: 'aggregator', status: statusOf(isPassing), checks };
}

/** A database URL as it may be shown: the password masked, parameters (which may hold one too) left out. */
export function brokerName(url: string): string {
  const { protocol, username, password, host, pathname } = new URL(url);
  const user = username && `${username}${password && ':**'}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

const statusOf = (isPassing: boolean): 'pass' | 'fail' => (isPassing ? 'pass' : 'fail');

const component = (componentId: string, isPassing: boolean): ComponentEntry => ({
  componentId,
  componentType: 'component',
  status: statusOf(isPassing),
});

/** The queue passes when somebody works on it; without the database nobody is known to. */
function workerEntries({ isFresh, value }: Known<HealthFacts>): ComponentEntry[] {
  const hosts = isFresh ? (value?.workers ?? []) : [];
  return [
    component('jobs(common)', hosts.length > 0),
    ...hosts.map((host) => component(`jobs@${host}(worker)`, true)),
  ];
}

/** Before the database has answered once no site is known, and one entry says so. */
function judgeSites({ value, isFresh, ageS }: Known<HealthFacts>): Judged[] {
  if (!value) return [{ entry: component('sites', false), isCounted: false }];
  const intervalS = parametersFrom(value.overrides)['aggregator.health_interval_s'];
  const olderS = isFresh ? 0 : ageS;
  return value.sites.map((site) => judgeSite(site, intervalS * 3 - olderS));
}

/**
 * A site that is switched off, or worked on, is as it should be. An enabled site without nodes fails (nothing of it
 * passes) but is not counted: there is nothing that could be down.
 */
function judgeSite({ uri, enabled, maintenance, nodes, pass_age_s }: SiteFacts, freshS: number): Judged {
  const isWanted = enabled && !maintenance;
  const isPassing = pass_age_s !== null && pass_age_s <= freshS;
  return { entry: component(uri, !isWanted || isPassing), isCounted: isWanted && nodes > 0 };
}

/** One dead site is the matter of its own entry, unless the operator wants it to be everybody's. */
function doSitesFail(sites: readonly Judged[], overrides: HealthFacts['overrides'] | undefined): boolean {
  const counted = sites.filter(({ isCounted }) => isCounted);
  const failing = counted.filter(({ entry }) => entry.status === 'fail');
  if (parametersFrom(overrides ?? null)['monitoring.site_failure_fails_health']) return failing.length > 0;
  return counted.length > 0 && failing.length === counted.length;
}
