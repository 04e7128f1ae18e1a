import type { Memory } from '../product/processes.ts';
import { cells, row } from '../rows.ts';
import type { OperationFigures, OperationsFigures } from './figures.ts';

/** The figures as tables. */
export const operationsLines = ({ rows, node, workers, growth, memory }: OperationsFigures): string[] => [
  `${rows.users} users and ${rows.workplaces} workplaces\n`,
  row('Node', ...heads, 'before, req/s', '× before', 'growth of p50'),
  ...node.map((figures) => row(...lineOf(figures), ...beforeCells(figures), growthOf(growth, figures.name))),
  `\n${row('workerd', ...heads)}`,
  ...workers.map((figures) => row(...lineOf(figures))),
  `\n${row('memory, MB', 'at rest', 'peak', 'afterwards')}`,
  row('  Node, with sidecar', ...memoryCells(memory.node)),
  row('  workerd, all modules', ...memoryCells(memory.workerd)),
  '',
];

const heads = ['req/s', 'p50 ms', 'p99 ms', 'CPU ms', 'floor, req/s', 'floor, CPU ms', 'of its floor'];

const lineOf = ({ name, portal, floor, ratio }: OperationFigures): [string, ...string[]] => [
  `  ${name}`,
  ...cells(portal),
  cpuCell(portal.cpu_ms),
  floor ? String(floor.requests_per_s) : '–',
  cpuCell(floor?.cpu_ms),
  ratio?.toFixed(2) ?? '–',
];

const cpuCell = (ms: number | null | undefined): string => ms?.toFixed(2) ?? '–';

const beforeCells = ({ portal, before }: OperationFigures): string[] =>
  before
    ? [String(before.requests_per_s), (portal.requests_per_s / before.requests_per_s).toFixed(2)]
    : ['–', '–'];

const growthOf = (growth: OperationsFigures['growth'], name: string): string =>
  growth.find((one) => one.name === name)?.p50.toFixed(2) ?? '–';

const memoryCells = ({ rest_mb, peak_mb, after_mb }: Memory): string[] =>
  [rest_mb, peak_mb, after_mb].map((mb) => mb.toFixed(0));
