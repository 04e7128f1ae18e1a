import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from '../structure/sizes.ts';
import { readSources } from '../structure/sources.ts';
import { type ClimbEffort, measureSearches } from './bodies/climb.ts';
import { type BodiesEffort, measureBodies } from './bodies/figures.ts';
import { type CapacityEffort, measureCapacity } from './capacity/figures.ts';
import { type AuditEffort, measureAudit } from './cases/audit.ts';
import { measureCards } from './cases/cards.ts';
import { measureDirectory } from './cases/directory-burst.ts';
import { measureEdgeStarts } from './cases/edge-starts.ts';
import { type IdleEffort, idleGoals, measureIdle } from './cases/idle.ts';
import { measureLists } from './cases/lists.ts';
import { measureLogins } from './cases/logins.ts';
import { measureReady, type ReadyEffort, readyGoals } from './cases/ready.ts';
import { measureRechecks, type RechecksEffort } from './cases/rechecks.ts';
import { measureStarts } from './cases/start-times.ts';
import { measureExports } from './exports/exports.ts';
import type { Rows } from './fill.ts';
import { type FleetEffort, measureFleet } from './fleet/figures.ts';
import type { GoalFigure } from './goals.ts';
import type { Effort } from './load.ts';
import { measureOperations, type OperationsEffort } from './operations/figures.ts';
import { operationGoals } from './operations/goals.ts';
import { measureHealth } from './portal/health.ts';
import { otherCheckout } from './product/checkout.ts';
import { measureSoak, type SoakEffort } from './soak/figures.ts';
import { type Stand, startStand } from './stand.ts';
import { type Figures, tableOf } from './table.ts';
import { measureTrips, type TripsEffort } from './trips/figures.ts';
import { tripGoals } from './trips/goals.ts';

type BenchEffort = Effort & {
  rows: Rows;
  fleet: FleetEffort;
  audit: AuditEffort;
  operations: OperationsEffort;
  trips: TripsEffort;
  ready: ReadyEffort;
  bodies: BodiesEffort;
  searches: ClimbEffort;
  soak: SoakEffort;
  idle: IdleEffort;
  capacity: CapacityEffort;
  rechecks: RechecksEffort;
};

/** Takes some minutes, or with `--quick` the shortest run that shows that everything works. */
const efforts: Record<'full' | 'quick', BenchEffort> = {
  full: {
    connections: 16,
    warmUpS: 2,
    roundS: 4,
    rounds: 3,
    coldStarts: 9,
    lists: { connections: 16, warmUpS: 0.5, roundS: 1.5, rounds: 3 },
    logins: { connections: 2, warmUpS: 1, roundS: 8, rounds: 3 },
    rows: { users: 100_000, audit_events: 1_000_000, monitoring_records: 10_000 },
    audit: { roundS: 4, rounds: 3, events: 200_000 },
    operations: {
      ...{ connections: 16, warmUpS: 1, roundS: 3, rounds: 3 },
      small: { users: 1_000, workplaces: 5_000 },
      rows: { users: 100_000, workplaces: 500_000 },
    },
    trips: {
      // Timers are late by up to a millisecond in each direction: a statement takes about 40 ms.
      ...{ delayMs: 19, requests: 15, poolSize: 80 },
      throughput: { connections: 100, warmUpS: 3, roundS: 5, rounds: 3 },
    },
    ready: { starts: 5, restS: 30 },
    bodies: { cases: 1_000, repeats: 5, members: 50_000, climbs: 400 },
    searches: { steps: 200, repeats: 5 },
    soak: { minutes: 10, everyS: 10 },
    idle: { seconds: 60, nodes: [0, 500] },
    capacity: { requests: 200, settledMs: 2_000, users: [10_000, 100_000, 1_000_000] },
    rechecks: { sessions: 50_000, seconds: 60 },
    fleet: {
      farms: 20,
      latencyMs: 50,
      others: 20,
      workplaces: 10_000,
      listDeadlineMs: 1_500,
      requests: 100,
      roundS: 15,
      snapshot: { sites: 50, farmsPerSite: 2, workplacesPerFarm: 5_000 },
    },
  },
  quick: {
    connections: 4,
    warmUpS: 0.2,
    roundS: 0.4,
    rounds: 1,
    coldStarts: 1,
    lists: { connections: 4, warmUpS: 0.05, roundS: 0.1, rounds: 1 },
    logins: { connections: 1, warmUpS: 0.2, roundS: 0.4, rounds: 1 },
    rows: { users: 1_000, audit_events: 10_000, monitoring_records: 100 },
    audit: { roundS: 0.4, rounds: 1, events: 2_000 },
    operations: {
      ...{ connections: 4, warmUpS: 0.05, roundS: 0.1, rounds: 1 },
      small: { users: 250, workplaces: 100 },
      rows: { users: 250, workplaces: 100 },
    },
    trips: {
      ...{ delayMs: 2, requests: 1, poolSize: 8 },
      throughput: { connections: 8, warmUpS: 0.2, roundS: 0.2, rounds: 1 },
    },
    ready: { starts: 1, restS: 0.1 },
    bodies: { cases: 2, repeats: 1, members: 200, climbs: 2 },
    searches: { steps: 2, repeats: 1 },
    soak: { minutes: 0.1, everyS: 1 },
    idle: { seconds: 2, nodes: [0, 2] },
    capacity: { requests: 2, settledMs: 50, users: [10_000] },
    rechecks: { sessions: 100, seconds: 0.5 },
    fleet: {
      farms: 4,
      latencyMs: 5,
      others: 4,
      workplaces: 200,
      listDeadlineMs: 500,
      requests: 3,
      roundS: 0.3,
      snapshot: { sites: 10, farmsPerSite: 2, workplacesPerFarm: 100 },
    },
  },
};

/** Selected on the command line; the default is all of them except the long ones. */
const parts = [
  'starts',
  'storm',
  'cards',
  'directory',
  'fleet',
  'health',
  'audit',
  'lists',
  'operations',
  'trips',
  'bodies',
  'searches',
  'soak',
  'idle',
  'capacity',
  'rechecks',
] as const;
type Part = (typeof parts)[number];
/** Parts that run only if they are named. */
const alone: ReadonlySet<Part> = new Set(['searches', 'soak', 'idle', 'capacity', 'rechecks']);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, against: { type: 'string' } },
  });
  const unknown = positionals.filter((name) => !parts.some((part) => part === name));
  if (unknown.length > 0) throw new Error(`no part ${unknown}; there are ${parts.join(', ')}`);
  const isAsked = (part: Part) => (positionals.length === 0 ? !alone.has(part) : positionals.includes(part));
  const other = values.against === undefined ? undefined : await otherCheckout(values.against);
  const effort = efforts[values.quick ? 'quick' : 'full'];
  const figures = await run(effort, isAsked, other?.folder).finally(() => other?.remove());
  process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : tableOf(figures));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

/**
 * Sequentially, so that measurements do not share the machine.
 * @param before another checkout, beside which the parts with goals are measured
 */
async function run(
  {
    rows,
    audit,
    operations,
    trips,
    ready,
    bodies,
    searches,
    soak,
    idle,
    capacity,
    rechecks,
    ...effort
  }: BenchEffort,
  isAsked: (part: Part) => boolean,
  before: string | undefined,
): Promise<Figures> {
  const only = async <T>(part: Part, measure: () => Promise<T>): Promise<T | undefined> =>
    isAsked(part) ? measure() : undefined;
  // On separate databases.
  const separate = {
    starts: await only('starts', measureStarts),
    ready: await only('starts', () => measureReady(ready, before)),
    edge: await only('starts', () => measureEdgeStarts(effort.coldStarts)),
    operations: await only('operations', () => measureOperations(operations, before)),
    trips: await only('trips', () => measureTrips(trips, before)),
    bodies: await only('bodies', () => measureBodies(bodies)),
    searches: await only('searches', () => measureSearches(searches)),
    soak: await only('soak', () => measureSoak(soak)),
    idle: await only('idle', () => measureIdle(idle)),
    capacity: await only('capacity', () => measureCapacity(capacity)),
  };
  return onStand(async (stand) => ({
    database: stand.database,
    machine: { node: process.versions.node, cores: availableParallelism() },
    effort,
    audit: await only('audit', () => measureAudit(audit)),
    logins: await only('storm', () => measureLogins(stand, effort.logins)),
    cards: await only('cards', () => measureCards(stand.settings, effort.rounds * 30)),
    rechecks: await only('rechecks', () => measureRechecks(stand.settings, rechecks)),
    directory: await only('directory', () => measureDirectory(stand, effort)),
    fleet: await only('fleet', () => measureFleet(stand, effort.fleet, effort.lists)),
    health: await only('health', () => measureHealth(stand, effort)),
    // Late: the tables are small before, as they were for the first figures.
    lists: await only('lists', () => measureLists(stand, rows, effort.lists)),
    // Exports the events that the lists were filled with.
    exports: await only('lists', () => measureExports(stand.settings.databaseUrl)),
    ...separate,
    goals: goalsOf(separate),
    sources: measureSources(),
  }));
}

/** Of the parts that were measured. A part with goals adds a line. */
function goalsOf({
  operations,
  trips,
  ready,
  idle,
}: Pick<Figures, 'operations' | 'trips' | 'ready' | 'idle'>): GoalFigure[] {
  return [
    ...(operations ? operationGoals(operations) : []),
    ...(trips ? tripGoals(trips) : []),
    ...(ready ? readyGoals(ready) : []),
    ...(idle ? idleGoals(idle) : []),
  ];
}

async function onStand<T>(work: (stand: Stand) => Promise<T>): Promise<T> {
  const stand = await startStand();
  return work(stand).finally(() => stand.stop());
}

/** Of the product only: neither tests nor generated code. */
function measureSources(): Figures['sources'] {
  const lengths = readSources()
    .filter(({ path }) => !/^(?:test|db\/migrations|shared\/openapi)\//.test(path))
    .map(({ lines }) => lines.length);
  return { files: lengths.length, median_lines: quantile(lengths, 0.5), p90_lines: quantile(lengths, 0.9) };
}
