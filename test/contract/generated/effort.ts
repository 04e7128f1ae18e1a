import fc from 'fast-check';

/** `BAD_INPUT_RUNS=100000` sends everything to every operation; `BAD_INPUT_SEED` repeats a run. */
export const runs = Number(process.env.BAD_INPUT_RUNS ?? 40);
export const seed = Number(process.env.BAD_INPUT_SEED ?? 20_261_121);

/** For properties: a share of the runs, which ends when every case was sent. */
export const property = (share: number) => ({ seed, numRuns: Math.min(Math.ceil(runs * share), 1_000) });

/** A sample, the same for the same seed; all when the runs suffice. */
export function chosen<T>(all: readonly T[], share = 1): T[] {
  const most = Math.ceil(runs * share);
  if (all.length <= most) return [...all];
  const some = fc.shuffledSubarray([...all], { minLength: most, maxLength: most });
  return fc.sample(some, { seed, numRuns: 1 })[0] ?? [];
}
