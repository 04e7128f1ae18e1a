import { availableParallelism } from 'node:os';
import { root } from '../e2e/portal-process.ts';
import { quantile } from '../structure/sizes.ts';
import { readSources } from '../structure/sources.ts';
import { measureEdgeStarts } from './edge-starts.ts';
import type { Rows } from './fill.ts';
import { measureLists } from './lists.ts';
import { compare, type Effort } from './load.ts';
import { startStand } from './stand.ts';
import { measureStarts } from './start-times.ts';
import { type Figures, tableOf } from './table.ts';

/** Some minutes altogether, or with `--quick` as little as shows that everything works. */
const efforts: Record<'full' | 'quick', Effort & { rows: Rows }> = {
  full: {
    connections: 16,
    warmUpS: 2,
    roundS: 4,
    rounds: 3,
    coldStarts: 9,
    lists: { connections: 16, warmUpS: 0.5, roundS: 1.5, rounds: 3 },
    rows: { users: 100_000, audit_events: 1_000_000, monitoring_records: 10_000 },
  },
  quick: {
    connections: 4,
    warmUpS: 0.2,
    roundS: 0.4,
    rounds: 1,
    coldStarts: 1,
    lists: { connections: 4, warmUpS: 0.05, roundS: 0.1, rounds: 1 },
    rows: { users: 1_000, audit_events: 10_000, monitoring_records: 100 },
  },
};

try {
  const figures = await run(efforts[process.argv.includes('--quick') ? 'quick' : 'full']);
  const isJson = process.argv.includes('--json');
  process.stdout.write(isJson ? `${JSON.stringify(figures)}\n` : tableOf(figures));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}

/** One thing at a time, so that nothing measured shares the machine with another measurement. */
async function run({ rows, ...effort }: Effort & { rows: Rows }): Promise<Figures> {
  const starts = await measureStarts();
  const edge = await measureEdgeStarts(effort.coldStarts);
  const stand = await startStand();
  try {
    return {
      database: stand.database,
      machine: { node: process.versions.node, cores: availableParallelism() },
      effort,
      benchmarks: [
        await compare('GET /api/userinfo', stand.userinfo, effort),
        await compare('GET …/connectionInfo/{id}', stand.connectionInfo, effort),
        // One at a time: how much longer it takes than the directory, not how many a machine bears.
        ...(stand.directoryLogin
          ? [await compare('POST …/login by LDAP', stand.directoryLogin, { ...effort, connections: 1 })]
          : []),
      ],
      // The last: the tables are small before, as they were when the figures above were first taken.
      lists: await measureLists(stand, rows, effort.lists),
      starts,
      edge,
      sources: measureSources(),
    };
  } finally {
    await stand.stop();
  }
}

/** Of the product itself: neither tests nor what is generated. */
function measureSources(): Figures['sources'] {
  const lengths = readSources(root)
    .filter(({ path }) => !/^(?:test|db\/migrations|shared\/openapi)\//.test(path))
    .map(({ lines }) => lines.length);
  return { files: lengths.length, median_lines: quantile(lengths, 0.5), p90_lines: quantile(lengths, 0.9) };
}
