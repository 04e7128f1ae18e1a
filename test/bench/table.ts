import type { SearchFigures } from './bodies/climb.ts';
import type { BodiesFigures } from './bodies/figures.ts';
import { bodiesLines, searchLines } from './bodies/table.ts';
import type { CapacityFigures } from './capacity/figures.ts';
import { capacityLines } from './capacity/table.ts';
import type { AuditFigures } from './cases/audit.ts';
import type { CardFigures } from './cases/cards.ts';
import { type DirectoryFigures, directoryLines } from './cases/directory-burst.ts';
import type { EdgeFigures, LambdaStart, WorkerStart } from './cases/edge-starts.ts';
import { type IdleRow, idleLines } from './cases/idle.ts';
import type { ListFigures } from './cases/lists.ts';
import type { LoginFigures } from './cases/logins.ts';
import { type ReadyFigures, readyLines } from './cases/ready.ts';
import { type RechecksFigures, rechecksLines } from './cases/rechecks.ts';
import type { ExportFigures } from './exports/exports.ts';
import type { FleetEffort, FleetFigures } from './fleet/figures.ts';
import { fleetLines } from './fleet/table.ts';
import { type GoalFigure, goalLines } from './goals.ts';
import type { Effort } from './load.ts';
import type { OperationsFigures } from './operations/figures.ts';
import { operationsLines } from './operations/table.ts';
import type { HealthFigures } from './portal/health.ts';
import { comparisonLines, pageLines, row } from './rows.ts';
import { type SoakFigures, soakLines } from './soak/figures.ts';
import type { TripsFigures } from './trips/figures.ts';
import { tripsLines } from './trips/table.ts';

export type Figures = {
  database: { kind: string; version: string };
  machine: { node: string; cores: number };
  effort: Effort & { fleet: FleetEffort };
  /** Figures that were not requested are absent. */
  logins?: LoginFigures | undefined;
  /** Null where there is no KDC. */
  cards?: CardFigures | null | undefined;
  /** Null where there is no slapd. */
  directory?: DirectoryFigures | null | undefined;
  fleet?: FleetFigures | undefined;
  health?: HealthFigures | undefined;
  audit?: AuditFigures | undefined;
  exports?: ExportFigures | undefined;
  lists?: ListFigures | undefined;
  operations?: OperationsFigures | undefined;
  bodies?: BodiesFigures | undefined;
  searches?: SearchFigures | undefined;
  soak?: SoakFigures | undefined;
  idle?: IdleRow[] | undefined;
  capacity?: CapacityFigures | undefined;
  rechecks?: RechecksFigures | undefined;
  starts?: { first_ms: number; later_ms: number } | undefined;
  ready?: ReadyFigures | undefined;
  edge?: EdgeFigures | undefined;
  trips?: TripsFigures | undefined;
  /** Of the parts that have goals. */
  goals: GoalFigure[];
  sources: { files: number; median_lines: number; p90_lines: number };
};

/** The figures as tables. */
export function tableOf(figures: Figures): string {
  const {
    database,
    machine,
    effort,
    logins,
    cards,
    directory,
    fleet,
    health,
    lists,
    operations,
    bodies,
    searches,
    soak,
    idle,
    capacity,
    rechecks,
    audit,
    exports,
    starts,
    ready,
    edge,
    trips,
    goals,
    sources,
  } = figures;
  const { connections, rounds, roundS } = effort;
  return [
    `${database.kind} ${database.version}, Node ${machine.node}, ${machine.cores} cores;`,
    `${connections} connections, ${rounds} × ${roundS} s each, in turns\n`,
    ...(logins ? loginLines(logins) : []),
    ...cardLines(cards),
    ...directoryLines(directory),
    ...(fleet ? fleetLines(fleet) : []),
    ...(health ? healthLines(health) : []),
    ...(lists ? listLines(lists) : []),
    ...(audit ? auditLines(audit) : []),
    ...(exports ? [exportLine(exports)] : []),
    ...(operations ? operationsLines(operations) : []),
    ...(bodies ? bodiesLines(bodies) : []),
    ...searchLines(searches),
    ...(soak ? soakLines(soak) : []),
    ...(idle ? idleLines(idle) : []),
    ...capacityLines(capacity),
    ...rechecksLines(rechecks),
    ...(starts
      ? [`npm start   first ${starts.first_ms} ms, later ${starts.later_ms} ms (embedded database)`]
      : []),
    ...(ready ? readyLines(ready) : []),
    ...(edge ? edgeLines(edge, effort.coldStarts) : []),
    ...(trips ? tripsLines(trips) : []),
    `sources     ${sources.files} files, median ${sources.median_lines} lines, p90 ${sources.p90_lines} lines\n`,
    ...(goals.length > 0 ? goalLines(goals) : []),
  ].join('\n');
}

const cardLines = (cards: CardFigures | null | undefined): string[] =>
  cards
    ? [
        row(`pkinit/finalize of ${cards.logins} logins`, 'p50 ms', 'p99 ms'),
        ...(['portal', 'floor', 'besides'] as const).map((name) =>
          row(`  ${cardNames[name]}`, cards[name].p50_ms.toFixed(1), cards[name].p99_ms.toFixed(1)),
        ),
        '',
      ]
    : [];

const cardNames = { portal: 'portal', floor: 'the KDC alone', besides: 'portal without the KDC' };

const loginLines = ({ login, storm: { reads, ...storm }, refusals }: LoginFigures): string[] => [
  ...comparisonLines(login),
  `storm of ${storm.logins_per_s} logins/s beside ${storm.reads_per_s} reads/s: ${Object.entries(
    storm.statuses,
  )
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')}; ${storm.refused_without_retry_after} refused without Retry-After;`,
  `  slowest login ${storm.slowest_login_ms} ms`,
  `  p99 of reads: idle ${reads.idle_p99_ms} ms, storm ${reads.storm_p99_ms} ms, ratio ${reads.ratio}`,
  `refused logins, median of ${refusals.attempts_each}: ${Object.entries(refusals.median_ms)
    .map(([kind, ms]) => `${kind} ${ms} ms`)
    .join(', ')}; difference ${(100 * refusals.difference).toFixed(1)} %\n`,
];

const listLines = ({ rows, filled_s, pages }: ListFigures): string[] => [
  `Pages of ${Object.entries(rows)
    .map(([table, count]) => `${count} ${table}`)
    .join(', ')} (filled in ${filled_s} s)\n`,
  ...pageLines(pages),
];

const auditLines = ({ append, sealing, verification }: AuditFigures): string[] => [
  'Audit on a database of its own, per second\n',
  `append      ${append.audited_per_s.toFixed(0)} events, ${append.plain_per_s.toFixed(0)} plain rows, ratio ${append.ratio.toFixed(2)}`,
  `seal        ${sealing.per_s.toFixed(0)} events; at 1000 a second the oldest waits ${sealing.oldest_ms.toFixed(0)} ms`,
  `verify      ${verification.per_s.toFixed(0)} events (of ${verification.events})\n`,
];

const healthLines = ({ sites, series, asked }: HealthFigures): string[] => [
  `The sidecar of ${sites} sites, ${series} series: health 50 times a second, metrics 4 times\n`,
  ...asked.flatMap(comparisonLines),
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
