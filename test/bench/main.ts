import { availableParallelism } from 'node:os';
import { root } from '../e2e/support/portal-process.ts';
import { quantile } from '../structure/sizes.ts';
import { readSources } from '../structure/sources.ts';
import { type BodiesEffort, measureBodies } from './bodies/figures.ts';
import { type AuditEffort, measureAudit } from './cases/audit.ts';
import { measureCards } from './cases/cards.ts';
import { measureDirectory } from './cases/directory-burst.ts';
import { measureEdgeStarts } from './cases/edge-starts.ts';
import { type IdleEffort, measureIdle } from './cases/idle.ts';
import { measureLists } from './cases/lists.ts';
import { measureLogins } from './cases/logins.ts';
import { measureStarts } from './cases/start-times.ts';
import { measureExports } from './exports/exports.ts';
import type { Rows } from './fill.ts';
import { type FleetEffort, measureFleet } from './fleet/figures.ts';
import { compare, type Effort } from './load.ts';
import { measureOperations, type OperationsEffort } from './operations/figures.ts';
import { measureHealth } from './portal/health.ts';
import { measureSoak, type SoakEffort } from './soak.ts';
import { type Stand, startStand } from './stand.ts';
import { type Figures, tableOf } from './table.ts';

type BenchEffort = Effort & {
  rows: Rows;
  fleet: FleetEffort;
  audit: AuditEffort;
  operations: OperationsEffort;
  bodies: BodiesEffort;
  soak: SoakEffort;
  idle: IdleEffort;
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
      ...{ connections: 16, warmUpS: 0.5, roundS: 2, rounds: 3, costRequests: 200 },
      sizes: [1, 10, 100].map((times) => ({ users: 1_000 * times, workplaces: 5_000 * times })),
    },
    bodies: { cases: 1_000, repeats: 5 },
    soak: { minutes: 10, everyS: 10 },
    idle: { seconds: 60, nodes: [0, 500] },
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
      ...{ connections: 4, warmUpS: 0.05, roundS: 0.1, rounds: 1, costRequests: 4 },
      sizes: [{ users: 100, workplaces: 100 }],
    },
    bodies: { cases: 2, repeats: 1 },
    soak: { minutes: 0.1, everyS: 1 },
    idle: { seconds: 2, nodes: [0, 2] },
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
  'requests',
  'storm',
  'cards',
  'directory',
  'fleet',
  'health',
  'audit',
  'lists',
  'operations',
  'bodies',
  'soak',
  'idle',
] as const;
type Part = (typeof parts)[number];

try {
  const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const unknown = named.filter((name) => !parts.some((part) => part === name));
  if (unknown.length > 0) throw new Error(`no part ${unknown}; there are ${parts.join(', ')}`);
  const isAsked = (part: Part) =>
    named.length === 0 ? part !== 'soak' && part !== 'idle' : named.includes(part);
  const figures = await run(efforts[process.argv.includes('--quick') ? 'quick' : 'full'], isAsked);
  const isJson = process.argv.includes('--json');
  process.stdout.write(isJson ? `${JSON.stringify(figures)}\n` : tableOf(figures));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

/** Sequentially, so that measurements do not share the machine. */
async function run(
  { rows, audit, operations, bodies, soak, idle, ...effort }: BenchEffort,
  isAsked: (part: Part) => boolean,
): Promise<Figures> {
  const only = async <T>(part: Part, measure: () => Promise<T>): Promise<T | undefined> =>
    isAsked(part) ? measure() : undefined;
  const starts = await only('starts', measureStarts);
  const edge = await only('starts', () => measureEdgeStarts(effort.coldStarts));
  // On separate databases.
  const operationsFigures = await only('operations', () => measureOperations(operations));
  const bodiesFigures = await only('bodies', () => measureBodies(bodies));
  const soakFigures = await only('soak', () => measureSoak(soak));
  const idleFigures = await only('idle', () => measureIdle(idle));
  return onStand(async (stand) => ({
    database: stand.database,
    machine: { node: process.versions.node, cores: availableParallelism() },
    effort,
    audit: await only('audit', () => measureAudit(audit)),
    benchmarks: await only('requests', async () => [
      await compare('GET /api/userinfo', stand.userinfo, effort),
      await compare('GET …/connectionInfo/{id}', stand.connectionInfo, effort),
      // Sequentially: the time beyond that of the directory, not the throughput of a machine.
      ...(stand.directoryLogin
        ? [await compare('POST …/login by LDAP', stand.directoryLogin, { ...effort, connections: 1 })]
        : []),
    ]),
    logins: await only('storm', () => measureLogins(stand, effort.logins)),
    cards: await only('cards', () => measureCards(stand.settings, effort.rounds * 30)),
    directory: await only('directory', () => measureDirectory(stand)),
    fleet: await only('fleet', () => measureFleet(stand, effort.fleet, effort.lists)),
    health: await only('health', () => measureHealth(stand, effort)),
    // Late: the tables are small before, as they were for the first figures.
    lists: await only('lists', () => measureLists(stand, rows, effort.lists)),
    // Exports the events that the lists were filled with.
    exports: await only('lists', () => measureExports(stand.settings.databaseUrl)),
    operations: operationsFigures,
    bodies: bodiesFigures,
    soak: soakFigures,
    idle: idleFigures,
    starts,
    edge,
    sources: measureSources(),
  }));
}

async function onStand<T>(work: (stand: Stand) => Promise<T>): Promise<T> {
  const stand = await startStand();
  return work(stand).finally(() => stand.stop());
}

/** Of the product only: neither tests nor generated code. */
function measureSources(): Figures['sources'] {
  const lengths = readSources(root)
    .filter(({ path }) => !/^(?:test|db\/migrations|shared\/openapi)\//.test(path))
    .map(({ lines }) => lines.length);
  return { files: lengths.length, median_lines: quantile(lengths, 0.5), p90_lines: quantile(lengths, 0.9) };
}
