import type { EdgeFigures, LambdaStart, WorkerStart } from './edge-starts.ts';
import type { ExportFigures } from './exports.ts';
import type { ListFigures } from './lists.ts';
import type { Comparison, Effort, Sample } from './load.ts';

export type Figures = {
  database: { kind: string; version: string };
  machine: { node: string; cores: number };
  effort: Effort;
  benchmarks: Comparison[];
  lists: ListFigures;
  exports: ExportFigures;
  starts: { first_ms: number; later_ms: number };
  edge: EdgeFigures;
  sources: { files: number; median_lines: number; p90_lines: number };
};

/** The figures for people. */
export function tableOf(figures: Figures): string {
  const { database, machine, effort, benchmarks, lists, exports, starts, edge, sources } = figures;
  const { connections, rounds, roundS } = effort;
  return [
    `${database.kind} ${database.version}, Node ${machine.node}, ${machine.cores} cores;`,
    `${connections} connections, ${rounds} × ${roundS} s each, in turns\n`,
    row('', 'req/s', 'p50 ms', 'p99 ms'),
    ...benchmarks.flatMap(rowsOf),
    ...listLines(lists),
    exportLine(exports),
    `npm start   first ${starts.first_ms} ms, later ${starts.later_ms} ms (embedded database)`,
    ...edgeLines(edge, effort.coldStarts),
    `sources     ${sources.files} files, median ${sources.median_lines} lines, p90 ${sources.p90_lines} lines\n`,
  ].join('\n');
}

const listLines = ({ rows, filled_s, pages }: ListFigures): string[] => [
  `Pages of ${Object.entries(rows)
    .map(([table, count]) => `${count} ${table}`)
    .join(', ')} (filled in ${filled_s} s)\n`,
  row('portal / floor', 'req/s', 'p50 ms', 'p99 ms', 'p50 ratio', 'items', 'statements', 'plan'),
  ...pages.flatMap(({ name, portal, floor, ratio, items, statements, plan: { verdict, text } }) => [
    row(
      `  ${name}`,
      ...[0, 1, 2].map((figure) => `${cells(portal)[figure]} / ${cells(floor)[figure]}`),
      ratio.p50.toFixed(2),
      String(items),
      String(statements),
      `  ${verdict}`,
    ),
    ...(text === undefined ? [] : [text.replace(/^/gm, '    ')]),
  ]),
  '',
];

const exportLine = ({ rows, mb, export_s, copy_s, ratio, memory_growth_mb }: ExportFigures): string =>
  `export      ${rows} audit events, ${mb} MB of CSV: ${export_s} s, COPY ${copy_s} s, ratio ${ratio}, memory +${memory_growth_mb} MB`;

const edgeLines = ({ request, floor, workers, lambda }: EdgeFigures, coldStarts: number): string[] => [
  `\nCold starts, median of ${coldStarts} fresh processes; each asks ${request}\n`,
  row('workerd', 'listens ms', 'first ms', 'together ms', 'second ms', 'first / floor', 'tog. / floor'),
  row('  bare Hono', ...startCells(floor)),
  ...workers.map(({ module, ratio, ...start }) =>
    row(`  ${module}`, ...startCells(start), ratio.first.toFixed(2), ratio.total.toFixed(2)),
  ),
  `\n${row('Lambda on Node', 'import ms', 'first ms', 'together ms')}`,
  ...lambda.map(({ module, ...start }) => row(`  ${module}`, ...lambdaCells(start))),
  '',
];

const startCells = ({ listens_ms, first_ms, total_ms, second_ms }: WorkerStart): string[] =>
  [listens_ms, first_ms, total_ms, second_ms].map((ms) => ms.toFixed(1));

const lambdaCells = ({ import_ms, first_ms, total_ms }: LambdaStart): string[] =>
  [import_ms, first_ms, total_ms].map((ms) => ms.toFixed(1));

const rowsOf = ({ name, portal, floor, ratio }: Comparison): string[] => [
  name,
  row('  portal', ...cells(portal)),
  row('  floor', ...cells(floor)),
  `${row('  portal / floor', ratio.requests.toFixed(2), ratio.p50.toFixed(2), ratio.p99.toFixed(2))}\n`,
];

const cells = ({ requests_per_s, p50_ms, p99_ms }: Sample): string[] => [
  String(requests_per_s),
  p50_ms.toFixed(2),
  p99_ms.toFixed(2),
];

const row = (name: string, ...figures: string[]): string =>
  [name.padEnd(22), ...figures.map((figure) => figure.padStart(14))].join('');
