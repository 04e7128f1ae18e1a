import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TierName } from '../run/tiers.ts';

/**
 * How a fault was caught; `test` is undefined if no test so far failed.
 * `files`, `seconds`: of the runs for this fault alone. `isUnknown`: the map does not name the test for the fault.
 */
export type Outcome = {
  /** `check`: `npm run check` refuses it, seen by one run of the compiler with all faults that were left. */
  tier: TierName | 'check';
  test?: string;
  files: number;
  seconds: number;
  isUnknown?: true;
};
export type Outcomes = Record<string, Outcome>;

const fileIn = (folder: string): string => join(folder, '.cache/test/faults.json');

/** @param folder a copy of the tree with the faults */
export function readOutcomes(folder: string): Outcomes {
  const file = fileIn(folder);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

export const writeOutcomes = (folder: string, outcomes: Outcomes): void =>
  writeFileSync(fileIn(folder), JSON.stringify(outcomes, null, 2));
