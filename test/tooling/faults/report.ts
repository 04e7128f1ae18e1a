import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tierNames } from '../run/tiers.ts';
import { readOutcomes } from './outcomes.ts';
import type { Fault } from './plant.ts';

/** Writes how each fault was caught beside the list, and prints the counts. */
const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
if (!folder) throw new Error('usage: report.ts <folder of a measured copy>');
const faults: Fault[] = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'));
const outcomes = readOutcomes(folder);

const rows = faults.map(({ id, path, kind }) => {
  const { test, files, seconds } = outcomes[id] ?? {};
  return [id, path, kind, test ?? '', files ?? '', seconds ?? ''].join('\t');
});
const head = ['fault', 'file', 'kind', 'caught by', 'test files run', 'seconds'].join('\t');
writeFileSync(new URL('outcomes.tsv', import.meta.url), `${[head, ...rows].join('\n')}\n`);

const caughtBy = (tier: string): number =>
  faults.filter(({ id }) => outcomes[id]?.test !== undefined && outcomes[id].tier === tier).length;
for (const tier of tierNames) process.stdout.write(`${tier}: ${caughtBy(tier)}\n`);
const left = faults.filter(({ id }) => outcomes[id]?.test === undefined);
process.stdout.write(`not caught: ${left.length}\n`);
for (const { id, path, lines, broken } of left)
  process.stdout.write(`${id}\t${path}\t${lines.trim()}\t${broken ?? 'left out'}\n`);
