import type { HealthFacts } from '../../../db/repositories/probes.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { version } from '../../../shared/kernel/version.ts';
import { type Collectors, forwarderStates } from '../forwarder-state.ts';
import type { Known } from '../last-known.ts';
import { isCounted, isFailing, type JudgedSite, judgeSites } from '../sites.ts';
import type { ComponentEntry, HealthReport } from './schema.ts';

/** What is known of the installation, and whether the database accepts writes. */
export type HealthInput = Known<HealthFacts> & { isWritable: boolean };

/**
 * The health of the installation by what is known of it. What needs the database fails when its answer did not come
 * in time; sites are then judged by the last known probes, which grow older meanwhile.
 * @param broker name of the job queue's broker, without a password
 * @param collectors of logs, where any are configured
 */
export function reportHealth(known: HealthInput, broker: string, collectors: Collectors = {}): HealthReport {
  const isDatabasePassing = known.isFresh && known.isWritable;
  const forwarders = forwarderStates(known.value?.forwards ?? [], collectors).map(({ name, isPassing }) =>
    component(name, known.isFresh && isPassing),
  );
  const { value, isFresh, ageS } = known;
  const sites = value && judgeSites(value, isFresh ? 0 : ageS);
  const checks = {
    'celery:connectionTest': workerEntries(known),
    'database:responseTime': [
      {
        componentId: 'default',
        componentType: 'datastore',
        observedValue: Math.round(known.waitedS * 1e6) / 1e6,
        observedUnit: 's',
        status: statusOf(isDatabasePassing),
      },
    ],
    'messages_broker:connectionTest': [component(broker, known.isFresh)],
    'fluentd:connectionTest': forwarders,
    'sites:connectionTest': siteEntries(sites),
  } satisfies HealthReport['checks'];
  const isJobsRunning = checks['celery:connectionTest'].every(({ status }) => status === 'pass');
  const isForwarding = forwarders.every(({ status }) => status === 'pass');
  const isPassing =
    isDatabasePassing && isJobsRunning && isForwarding && !doSitesFail(sites ?? [], value?.overrides);
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
const siteEntries = (sites: readonly JudgedSite[] | undefined): ComponentEntry[] =>
  sites?.map((site) => ({ ...component(site.uri, !isFailing(site)), state: site.state })) ?? [
    component('sites', false),
  ];

/** One dead site is the matter of its own entry, unless the operator wants it to be everybody's. */
function doSitesFail(sites: readonly JudgedSite[], overrides: HealthFacts['overrides'] | undefined): boolean {
  const counted = sites.filter(isCounted);
  const failing = counted.filter(isFailing);
  if (parametersFrom(overrides ?? null)['monitoring.site_failure_fails_health']) return failing.length > 0;
  return counted.length > 0 && failing.length === counted.length;
}
