import { pageLines, row } from '../rows.ts';
import type { Times } from '../times.ts';
import type { FleetFigures } from './figures.ts';
import type { ServicesFigures } from './services-lists.ts';

/** The figures as tables. */
export const fleetLines = (figures: FleetFigures): string[] => {
  const { farms, latency_ms, services, hanging_sites, sync, workplaces } = figures;
  return [
    row(`servicesList, ${farms} farms of ${latency_ms} ms`, 'p50 ms', 'p95 ms'),
    ...servicesLines(services),
    ...hangingLines(hanging_sites),
    row(`sync of ${sync.workplaces}`, 'ms'),
    row('  floor (read only)', String(sync.floor_ms)),
    row('  full', String(sync.full_ms), `heap +${sync.heap_mb} MB`),
    row('  unchanged', String(sync.unchanged_ms)),
    `\n${workplaces.sites} sites of ${workplaces.farmsPerSite} farms, ${workplaces.rows} workplaces (filled in ${workplaces.filled_s} s)\n`,
    ...pageLines(workplaces.pages),
  ];
};

const servicesLines = ({ hanging, circuit_open, cold, ...lists }: ServicesFigures): string[] => [
  timesRow('floor (calls alone)', lists.floor),
  timesRow('warm keys', lists.warm, `${lists.warm.ratio} × floor`),
  timesRow('cold', cold, `${cold.present} present`),
  timesRow('cached', lists.cached),
  timesRow('one farm hangs', hanging, `${hanging.present} present`, `${hanging.lists} lists`),
  `${timesRow('circuit open', circuit_open, `${circuit_open.present} present`)}\n`,
];

const hangingLines = ({
  sites,
  hanging,
  without,
  with: during,
  ratio,
}: FleetFigures['hanging_sites']): string[] => [
  row(`${sites} sites, one farm each`, 'requests', 'p50 ms', 'p99 ms'),
  row('  all answer', ...Object.values(without).map(String)),
  row(`  ${hanging} hang`, ...Object.values(during).map(String)),
  `${row('  of the others', '', ratio.p50.toFixed(2), ratio.p99.toFixed(2))}\n`,
];

const timesRow = (name: string, { p50_ms, p95_ms }: Times, ...notes: string[]): string =>
  row(`  ${name}`, p50_ms.toFixed(1), p95_ms.toFixed(1), ...notes);
