import type { HealthFacts } from '../../../db/repositories/sites/probes.ts';
import { type ComponentState, statusOf } from '../../../shared/kernel/observability/component-state.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { version } from '../../../shared/kernel/version.ts';
import { isEmbeddedUrl } from '../../../shared/runtime/embedded-host.ts';
import type { CachedValue } from '../cached-reader.ts';
import { type Collectors, forwarderStates } from '../forwarder-state.ts';
import { isCounted, isFailing, type SiteState, siteStates } from '../site-states.ts';
import type { ComponentEntry, HealthReport, HealthSummary } from './schema.ts';

/** The last data read about the installation, and whether the database accepts writes. */
export type HealthInput = CachedValue<HealthFacts> & {
  isWritable: boolean;
  /** Seconds since this process started to serve requests. */
  servingS: number;
};

/**
 * Builds the health report of the installation. If the database does not respond in time, the checks that depend on
 * it fail, and sites are evaluated by the last probes read, which age in the meantime.
 * @param broker name of the job queue's broker, without a password
 * @param collectors log collectors, if configured
 */
export function reportHealth(input: HealthInput, broker: string, collectors: Collectors = {}): HealthReport {
  const { value, isFresh } = input;
  const sites = sitesOf(input);
  const checks = {
    'celery:connectionTest': workerEntries(input),
    'database:responseTime': [
      {
        componentId: 'default',
        componentType: 'datastore',
        observedValue: Math.round(input.waitedS * 1e6) / 1e6,
        observedUnit: 's',
        ...statusMembers(passIf(isFresh && input.isWritable)),
      },
    ],
    'messages_broker:connectionTest': [component(broker, passIf(isFresh))],
    'fluentd:connectionTest': forwarderStates(value?.forwards ?? [], collectors, input.servingS).map(
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
 * Returns the status of one site as in its entry of the report. It is `fail` as long as no sites have been read.
 * @returns undefined if there is no such site
 */
export function summarizeSite(input: HealthInput, uri: string): HealthSummary | undefined {
  const sites = sitesOf(input);
  if (!sites) return { version, status: 'fail' };
  const site = sites.find((one) => one.uri === uri);
  return site && { version, status: statusOf(site.state) };
}

/**
 * Returns a database URL that is safe to display: the password is masked, and parameters, which can contain one, are
 * removed. For the embedded database and servers behind a Unix socket, the authority of the URL is only a
 * placeholder.
 */
export function brokerName(url: string): string {
  if (isEmbeddedUrl(url)) return 'embedded database';
  const { protocol, username, password, host, pathname, searchParams } = new URL(url);
  const user = username && `${username}${password && ':**'}@`;
  const server = searchParams.get('host');
  if (server?.startsWith('/')) return `${protocol}//${user}${pathname}?host=${server}`;
  return `${protocol}//${user}${server ?? host}${pathname}`;
}

const sitesOf = ({ value, isFresh, ageS }: HealthInput): SiteState[] | undefined =>
  value && siteStates(value, isFresh ? 0 : ageS);

const passIf = (isPassing: boolean): 'pass' | 'fail' => (isPassing ? 'pass' : 'fail');

const statusMembers = (state: ComponentState) => ({ status: statusOf(state), state });

const component = (componentId: string, state: ComponentState): ComponentEntry => ({
  componentId,
  componentType: 'component',
  ...statusMembers(state),
});

/**
 * The queue passes while at least one worker is alive. Without a response from the database, no worker counts as
 * alive.
 */
function workerEntries({ isFresh, value }: CachedValue<HealthFacts>): ComponentEntry[] {
  const hosts = isFresh ? (value?.workers ?? []) : [];
  return [
    component('jobs(common)', passIf(hosts.length > 0)),
    ...hosts.map((host) => component(`jobs@${host}(worker)`, 'pass')),
  ];
}

/** A single entry represents all sites until the first read from the database succeeds. */
const siteEntries = (sites: readonly SiteState[] | undefined): ComponentEntry[] =>
  sites?.map(({ uri, state }) => component(uri, state)) ?? [component('sites', 'fail')];

/** A failing site fails only its own entry, unless `monitoring.site_failure_fails_health` is set. */
function doSitesFail(sites: readonly SiteState[], overrides: HealthFacts['overrides'] | undefined): boolean {
  const counted = sites.filter(isCounted);
  const failing = counted.filter(isFailing);
  if (parametersFrom(overrides ?? null)['monitoring.site_failure_fails_health']) return failing.length > 0;
  return counted.length > 0 && failing.length === counted.length;
}
