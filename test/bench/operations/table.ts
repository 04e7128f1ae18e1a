import { cells, row } from '../rows.ts';
import type { OperationsFigures } from './figures.ts';
import type { Memory } from './memory.ts';

/** The figures as tables. */
export const operationsLines = ({ sizes, growth, workers, costs, memory }: OperationsFigures): string[] => [
  ...sizes.flatMap(({ rows, operations }) => [
    row(`Node, ${rows.users} users`, 'req/s', 'p50 ms', 'p99 ms', 'req/s ÷ floor', 'p50 ÷ floor'),
    ...operations.map(lineOf),
    `  (and ${rows.workplaces} workplaces)\n`,
  ]),
  row('workerd', 'req/s', 'p50 ms', 'p99 ms', 'req/s ÷ floor', 'p50 ÷ floor'),
  ...workers.map(lineOf),
  `\n${row('one request', 'round trips', 'calls', 'CPU ms', 'growth of p50')}`,
  ...costs.map(({ name, round_trips, upstream_calls, cpu_ms }) =>
    row(
      `  ${name}`,
      String(round_trips),
      String(upstream_calls),
      cpu_ms.toFixed(2),
      growth.find((one) => one.name === name)?.p50.toFixed(2) ?? '',
    ),
  ),
  `\n${row('memory, MB', 'at rest', 'peak', 'afterwards')}`,
  row('  Node', ...memoryCells(memory.node)),
  row('  workerd, all modules', ...memoryCells(memory.workerd)),
  '',
];

const lineOf = ({ name, portal, ...compared }: OperationsFigures['workers'][number]): string => {
  const { requests, p50 } = 'ratio' in compared ? compared.ratio : {};
  return row(`  ${name}`, ...cells(portal), requests?.toFixed(2) ?? '–', p50?.toFixed(2) ?? '–');
};

const memoryCells = ({ rest_mb, peak_mb, after_mb }: Memory): string[] =>
  [rest_mb, peak_mb, after_mb].map((mb) => mb.toFixed(0));
