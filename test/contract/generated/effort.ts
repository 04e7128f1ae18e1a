import fc from 'fast-check';
import { commitNumber, isThorough } from '../../support/runner/commit.ts';

/**
 * `BAD_INPUT_RUNS=100000` sends everything to every operation; `BAD_INPUT_SEED` repeats a run. A seed that found a fault
 * becomes a fixed case of the test of that operation.
 */
export const runs = Number(process.env.BAD_INPUT_RUNS ?? (isThorough ? 40 : 8));
export const seed = Number(process.env.BAD_INPUT_SEED ?? commitNumber());

/** For properties: a share of the runs, which ends when every case was sent. */
export const property = (share: number) => ({ seed, numRuns: Math.min(Math.ceil(runs * share), 1_000) });

/**
 * A sample of those that fit, the same for the same seed; all if the runs suffice. Checks no more than needed,
 * because the check of a large body takes longer than its request.
 */
export function chosen<T>(all: readonly T[], share = 1, fits: (one: T) => boolean = () => true): T[] {
  const most = Math.ceil(runs * share);
  const shuffled = fc.shuffledSubarray([...all], { minLength: all.length, maxLength: all.length });
  const fitting: T[] = [];
  for (const one of fc.sample(shuffled, { seed, numRuns: 1 })[0] ?? []) {
    if (fitting.length === most) break;
    if (fits(one)) fitting.push(one);
  }
  return fitting;
}
