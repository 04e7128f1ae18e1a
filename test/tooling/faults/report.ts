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
/** Faults that change nothing a test could see, with the reason. */
const noEffect: Record<string, string> = JSON.parse(
  readFileSync(new URL('no-effect.json', import.meta.url), 'utf8'),
);
const outcomes = readOutcomes(folder);

const rows = faults.map(({ id, path, kind }) => {
  const { test, files, seconds } = outcomes[id] ?? {};
  const reason = noEffect[id];
  const caught = test ?? (reason === undefined ? '' : `no effect: ${reason}`);
  return [id, path, kind, caught, files ?? '', seconds ?? ''].join('\t');
});
const head = ['fault', 'file', 'kind', 'caught by', 'test files run', 'seconds'].join('\t');
writeFileSync(new URL('outcomes.tsv', import.meta.url), `${[head, ...rows].join('\n')}\n`);

const caughtBy = (tier: string): number =>
  faults.filter(({ id }) => outcomes[id]?.test !== undefined && outcomes[id].tier === tier).length;
for (const tier of [...tierNames, 'check']) process.stdout.write(`${tier}: ${caughtBy(tier)}\n`);
const missed = faults.filter(({ id }) => outcomes[id]?.test === undefined);
const left = missed.filter(({ id }) => noEffect[id] === undefined);
process.stdout.write(`no effect: ${missed.length - left.length}\nnot caught: ${left.length}\n`);
for (const { id, path, lines, broken } of left)
  process.stdout.write(`${id}\t${path}\t${lines.trim()}\t${broken ?? 'left out'}\n`);
