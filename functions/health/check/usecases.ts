import type { HealthFacts } from '../../../db/repositories/sites/probes.ts';
import { type ComponentState, statusOf } from '../../../shared/kernel/observability/component-state.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { version } from '../../../shared/kernel/version.ts';
import { embeddedHost } from '../../../shared/runtime/embedded-host.ts';
import { type Collectors, forwarderStates } from '../forwarder-state.ts';
import type { Known } from '../last-known.ts';
import { isCounted, isFailing, type JudgedSite, judgeSites } from '../sites.ts';
import type { ComponentEntry, HealthReport, HealthSummary } from './schema.ts';

/** What is known of the installation, and whether the database accepts writes. */
export type HealthInput = Known<HealthFacts> & {
  isWritable: boolean;
  /** Seconds since this process began to answer. */
  servingS: number;
};

/**
 * The health of the installation by what is known of it. What needs the database fails when its answer did not come
 * in time; sites are then judged by the last known probes, which grow older meanwhile.
 * @param broker name of the job queue's broker, without a password
 * @param collectors of logs, where any are configured
 */
export function reportHealth(known: HealthInput, broker: string, collectors: Collectors = {}): HealthReport {
  const { value, isFresh } = known;
  const sites = sitesOf(known);
  const checks = {
    'celery:connectionTest': workerEntries(known),
    'database:responseTime': [
      {
        componentId: 'default',
        componentType: 'datastore',
        observedValue: Math.round(known.waitedS * 1e6) / 1e6,
        observedUnit: 's',
        ...judged(passIf(isFresh && known.isWritable)),
      },
    ],
    'messages_broker:connectionTest': [component(broker, passIf(isFresh))],
    'fluentd:connectionTest': forwarderStates(value?.forwards ?? [], collectors, known.servingS).map(
      ({ name, state }) => component(name, isFresh ? state : 'fail'),
    ),
    'sites:connectionTest': siteEntries(sites),
  } satisfies HealthReport['checks'];
  const { 'sites:connectionTest': _, ...own } = checks;
  const isPassing =
    Object.values(own)
      .flat()
      .every(({ status }) => status === 'pass') && !doSitesFail(sites ?? [], value?.overrides);
  return { version, description: 'aggregator', status: statusOf(passIf(isPassing)), checks };
}

/**
 * The status of one site as in its entry of the report. It fails while no site is known.
 * @returns undefined without such a site
 */
export function summarizeSite(known: HealthInput, uri: string): HealthSummary | undefined {
  const sites = sitesOf(known);
  if (!sites) return { version, status: 'fail' };
  const site = sites.find((one) => one.uri === uri);
  return site && { version, status: statusOf(site.state) };
}

/**
 * A database URL as it may be shown: the password masked, parameters (which may hold one too) left out. The embedded
 * database and servers behind a Unix socket have no host: the authority of their URL is a placeholder.
 */
export function brokerName(url: string): string {
  const { protocol, username, password, hostname, host, pathname, searchParams } = new URL(url);
  if (hostname === embeddedHost) return 'embedded database';
  const user = username && `${username}${password && ':**'}@`;
  const server = searchParams.get('host');
  if (server?.startsWith('/')) return `${protocol}//${user}${pathname}?host=${server}`;
  return `${protocol}//${user}${server ?? host}${pathname}`;
}

const sitesOf = ({ value, isFresh, ageS }: HealthInput): JudgedSite[] | undefined =>
  value && judgeSites(value, isFresh ? 0 : ageS);

const passIf = (isPassing: boolean): 'pass' | 'fail' => (isPassing ? 'pass' : 'fail');

const judged = (state: ComponentState) => ({ status: statusOf(state), state });

const component = (componentId: string, state: ComponentState): ComponentEntry => ({
  componentId,
  componentType: 'component',
  ...judged(state),
});

/** The queue passes while a worker is alive. Without an answer of the database none is known to be. */
function workerEntries({ isFresh, value }: Known<HealthFacts>): ComponentEntry[] {
  const hosts = isFresh ? (value?.workers ?? []) : [];
  return [
    component('jobs(common)', passIf(hosts.length > 0)),
    ...hosts.map((host) => component(`jobs@${host}(worker)`, 'pass')),
  ];
}

/** One entry stands for all sites until the database has answered for the first time. */
const siteEntries = (sites: readonly JudgedSite[] | undefined): ComponentEntry[] =>
  sites?.map(({ uri, state }) => component(uri, state)) ?? [component('sites', 'fail')];

/** The failure of one site is that of its entry only, unless `monitoring.site_failure_fails_health` is set. */
function doSitesFail(sites: readonly JudgedSite[], overrides: HealthFacts['overrides'] | undefined): boolean {
  const counted = sites.filter(isCounted);
  const failing = counted.filter(isFailing);
  if (parametersFrom(overrides ?? null)['monitoring.site_failure_fails_health']) return failing.length > 0;
  return counted.length > 0 && failing.length === counted.length;
}
