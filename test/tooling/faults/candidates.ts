import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { readSourcesIn } from '../../structure/sources.ts';
import { select } from '../map/affected.ts';
import { isCalled } from '../map/changes.ts';
import { reachFile } from '../map/recordings.ts';
import { readMap } from '../map/test-map.ts';
import { type ProjectPlan, projects, type TierName, tierNames } from '../run/tiers.ts';
import { type Fault, placeOf, switchPath } from './plant.ts';

/** Test files that can notice a fault, cheap ones and those with the names of the source first. */
export type Candidates = { fast: string[]; others: string[] };

/**
 * Tests that evaluated the broken place. Code outside of functions is evaluated once in each worker, so that its tests are those that
 * the map names.
 * @param folder a copy of the tree with the faults
 */
export function candidatesOf(folder: string, faults: readonly Fault[]): Map<number, Candidates> {
  const map = readMap(join(folder, '.cache/test/map.json.gz'));
  const reachPath = join(folder, reachFile);
  if (!map || !existsSync(reachPath)) throw new Error(`${folder}: no run was recorded`);
  const reached: Record<string, string[]> = JSON.parse(readFileSync(reachPath, 'utf8'));
  const sources = readSourcesIn(folder).filter(({ path }) => path !== switchPath);
  const known = { map, all: [...map.keys()], sources };
  const costOf = (test: string) => (test.startsWith('test/unit/') ? 0.1 : (map.get(test)?.cpuSeconds ?? 99));
  return new Map(
    faults.map((fault) => {
      const text = readFileSync(join(folder, fault.path), 'utf8');
      const at = offsetOf(text, fault);
      const line = text.slice(0, at).split('\n').length;
      const change = { path: fault.path, exists: true, lines: [{ from: line, to: line }] };
      const { files } = select([change], known);
      const exact = new Set(isCalled(fault.path, text, at) ? reached[fault.id] : []);
      // A child that was killed has not reported what it reached.
      const tests = [...files].filter((test) => exact.size === 0 || exact.has(test) || !isFast(test));
      const rank = (test: string) => costOf(test) / (1 + 4 * wordsInCommon(test, fault.path));
      const sorted = tests.toSorted((a, b) => rank(a) - rank(b));
      return [fault.id, { fast: sorted.filter(isFast), others: sorted.filter((test) => !isFast(test)) }];
    }),
  );
}

/** A test with the words of a source in its path is rather about it than one that only passes through it. */
function wordsInCommon(test: string, source: string): number {
  const words = new Set(source.replace(/\.\w+$/, '').split(/[/-]/));
  return test.split(/[/.-]/).filter((word) => word.length > 2 && words.has(word)).length;
}

/** The place in the tree with the faults. */
function offsetOf(text: string, fault: Fault): number {
  const marker = text.indexOf(`planted(${fault.id})`);
  return marker >= 0 ? marker : (placeOf(text, fault)?.start ?? 0);
}

const isFast = (test: string): boolean => tierOf(test) === 'fast';

/** The cheapest tier of a test file. */
export const tierOf = (test: string): TierName =>
  tierNames.find((name) => projects.some((plan) => plan.tier === name && contains(plan, test))) ?? 'platform';

const contains = ({ include, exclude = [] }: ProjectPlan, test: string): boolean =>
  include.some((glob) => matchesGlob(test, glob)) && !exclude.some((glob) => matchesGlob(test, glob));
