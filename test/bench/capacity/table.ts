import { row } from '../rows.ts';
import type { CapacityFigures } from './figures.ts';
import type { Load, OperationCost } from './model.ts';

/** The figures as a table. */
export const capacityLines = (figures: CapacityFigures | undefined): string[] =>
  figures ? [...costLines(figures), ...loadLines(figures)] : [];

const costLines = ({ costs }: CapacityFigures): string[] => [
  row('one request', 'round trips', 'bytes', 'answer bytes', 'WAL bytes', 'database ms', 'portal ms'),
  ...costs.map(costLine),
  '',
];

/** One table for each kind of polls. */
const loadLines = ({ loads }: CapacityFigures): string[] =>
  [...Map.groupBy(loads, ({ lists }) => lists)].flatMap(([lists, each]) => [
    `busiest hour, polls: ${lists}`,
    row('', ...each.map(({ users }) => `${users} users`)),
    ...rows.map(([name, member]) => row(`  ${name}`.padEnd(30), ...each.map((load) => String(load[member])))),
    '',
  ]);

const costLine = ({ name, trips, bytes, answer_bytes, wal_bytes, ...cpu }: OperationCost): string =>
  row(
    `  ${name}`,
    ...[trips, bytes, answer_bytes, wal_bytes].map(String),
    ...[cpu.database_cpu_ms, cpu.portal_cpu_ms].map((ms) => ms?.toFixed(2) ?? '–'),
  );

const rows: readonly [name: string, member: keyof Load][] = [
  ['requests/s', 'requests_per_s'],
  ['logins/s', 'logins_per_s'],
  ['cores of the portal', 'portal_cores'],
  ['  of them password hashes', 'hashing_cores'],
  ['cores of the database', 'database_cores'],
  ['connections', 'connections'],
  ['Mbit/s to the database', 'network_mbit_per_s'],
  ['MB/s of WAL', 'wal_mb_per_s'],
  ['GB/day of WAL', 'wal_gb_per_day'],
];
