import type { Comparison, Effort, Sample } from './load.ts';

export type Figures = {
  database: { kind: string; version: string };
  machine: { node: string; cores: number };
  effort: Effort;
  benchmarks: Comparison[];
  starts: { first_ms: number; later_ms: number };
  sources: { files: number; median_lines: number; p90_lines: number };
};

/** The figures for people. */
export function tableOf({ database, machine, effort, benchmarks, starts, sources }: Figures): string {
  const { connections, rounds, roundS } = effort;
  return [
    `${database.kind} ${database.version}, Node ${machine.node}, ${machine.cores} cores;`,
    `${connections} connections, ${rounds} × ${roundS} s each, in turns\n`,
    row('', 'req/s', 'p50 ms', 'p99 ms'),
    ...benchmarks.flatMap(rowsOf),
    `npm start   first ${starts.first_ms} ms, later ${starts.later_ms} ms (embedded database)`,
    `sources     ${sources.files} files, median ${sources.median_lines} lines, p90 ${sources.p90_lines} lines\n`,
  ].join('\n');
}

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
  [name.padEnd(18), ...figures.map((figure) => figure.padStart(10))].join('');
