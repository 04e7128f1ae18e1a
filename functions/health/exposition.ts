import { Counter, Gauge, Registry } from 'prom-client';
import type { InstallationCounts } from '../../db/repositories/monitoring/installation-counts.ts';
import type { Sum } from '../../db/repositories/monitoring/telemetry.ts';
import { version } from '../../shared/kernel/version.ts';
import { addFleet, type FleetData } from './fleet-metrics.ts';
import { addTotals } from './summed-metrics.ts';
import type { SystemSample } from './system-sampler.ts';

/**
 * Data of the metrics that the specification defines. `counts` is absent until the first read from the database
 * succeeds.
 */
export type MetricsData = { system: SystemSample; counts: InstallationCounts | undefined };
/** Data of all families. `fleet` and `totals` are absent until the first read from the database succeeds. */
export type AllMetricsData = MetricsData & {
  fleet?: FleetData | undefined;
  totals?: readonly Sum[] | undefined;
};

type Family = {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  labels?: (facts: MetricsData) => Record<string, string>;
  value: (facts: MetricsData) => number;
};

/** Returns all families in the Prometheus text format 0.0.4. Every value is written as a float. */
export async function metricsText(facts: AllMetricsData): Promise<string> {
  const registry = new Registry();
  for (const family of families) addFamily(registry, family, facts);
  addProcess(registry, facts.system);
  addFleet(registry, facts.fleet);
  addTotals(registry, facts.totals ?? []);
  return asFloats(await registry.metrics());
}

/**
 * Returns the metrics of the specification as JSON members: a number, or an object if the metric carries its data in
 * labels.
 */
export const metricsMembers = (facts: MetricsData): Record<string, unknown> =>
  Object.fromEntries(families.map(({ name, labels, value }) => [name, labels?.(facts) ?? value(facts)]));

/** Writes `1` as `1.0`, as the specification requires, and `Nan` as `NaN`, as the text format requires. */
const asFloats = (text: string): string =>
  text.replace(/(?<![^\n])([^#\n][^\n]*) (-?\d+|Nan)(?![^\n])/g, (_line, series: string, value: string) =>
    value === 'Nan' ? `${series} NaN` : `${series} ${value}.0`,
  );

/**
 * Adds the metrics of this process under the standard names of Prometheus clients. They are omitted on systems that
 * do not provide them.
 */
function addProcess(registry: Registry, { descriptors }: SystemSample): void {
  if (!descriptors) return;
  const registers = [registry];
  new Gauge({ name: 'process_open_fds', help: 'Open file descriptors', registers }).set(descriptors.open);
  new Gauge({ name: 'process_max_fds', help: 'Limit of open file descriptors', registers }).set(
    descriptors.max,
  );
}

function addFamily(
  registry: Registry,
  { name, help, type, labels, value }: Family,
  facts: MetricsData,
): void {
  const series = labels?.(facts) ?? {};
  const options = { name, help, labelNames: Object.keys(series), registers: [registry] };
  if (type === 'counter') new Counter(options).inc(series, value(facts));
  else new Gauge(options).set(series, value(facts));
}

const gauge = (name: string, help: string, value: Family['value']): Family => ({
  name,
  type: 'gauge',
  help,
  value,
});
const counter = (name: string, help: string, value: Family['value']): Family => ({
  name,
  type: 'counter',
  help,
  value,
});
/** A count that has not been read yet is NaN, not zero. */
const counted = (name: string, help: string, of: keyof InstallationCounts): Family =>
  gauge(name, help, ({ counts }) => counts?.[of] ?? Number.NaN);

/** The metrics of the specification, in its order. */
const families: readonly Family[] = [
  {
    ...gauge('version_info', 'Version of the portal', () => 1),
    labels: () => ({ version }),
  },
  {
    ...gauge('system_info', 'Operating system of the host', () => 1),
    labels: ({ system }) => system.identity,
  },
  gauge('uptime_seconds', 'Seconds since the host was started', ({ system }) => system.uptimeS),
  gauge('cpu_total_percent', 'Load of all processors, percent', ({ system }) => system.cpuPercent),
  gauge(
    'virtual_memory_total_percent',
    'Physical memory in use, percent',
    ({ system }) => system.memory.percent,
  ),
  counter('disk_read_count', 'Read operations of all disks', ({ system }) => system.io.reads),
  counter('disk_write_count', 'Write operations of all disks', ({ system }) => system.io.writes),
  counter('disk_read_bytes', 'Bytes read from all disks', ({ system }) => system.io.readBytes),
  counter('disk_write_bytes', 'Bytes written to all disks', ({ system }) => system.io.writtenBytes),
  gauge('virtual_memory_total_bytes', 'Physical memory', ({ system }) => system.memory.total),
  gauge(
    'virtual_memory_available_bytes',
    'Physical memory available to programs without swapping',
    ({ system }) => system.memory.available,
  ),
  gauge('virtual_memory_used_bytes', 'Physical memory in use', ({ system }) => system.memory.used),
  gauge('virtual_memory_free_bytes', 'Unused physical memory', ({ system }) => system.memory.free),
  gauge('disk_total_bytes', 'Size of the root file system', ({ system }) => system.disk.total),
  gauge('disk_used_bytes', 'Used space of the root file system', ({ system }) => system.disk.used),
  gauge(
    'disk_free_bytes',
    'Free space of the root file system available to users',
    ({ system }) => system.disk.free,
  ),
  counted('user_session_count', 'Active sessions of the user portal', 'userSessions'),
  counted('admin_session_count', 'Active sessions of the administrator portal', 'adminSessions'),
  counted('auth_domain_count', 'Authentication domains', 'domains'),
  counted('farms_count', 'Farms', 'farms'),
  counted('servers_count', 'Dispatcher nodes', 'servers'),
  counted('sites_count', 'Sites', 'sites'),
];
