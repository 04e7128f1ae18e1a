import type { TierName } from './tiers.ts';

/** What a tier cost. CPU seconds are those of the whole machine; undefined where they are not known. */
export type TierCost = { tier: TierName; seconds: number; cpuSeconds: number | undefined };

/** Minutes on two quiet cores. CPU time does not depend on what else the machine does. */
const minutes = { fast: 12, all: 45 };
const cores = 2;

const limitOf = (of: keyof typeof minutes): number => minutes[of] * 60 * cores;

/**
 * One line for each limit that a run has exceeded.
 * @param slowness of this machine: CPU time of a password hash, divided by that of the machine of the limits
 */
export function limitsBroken(costs: readonly TierCost[], slowness: number): string[] {
  const cpuOf = (some: readonly TierCost[]) => some.reduce((sum, { cpuSeconds = 0 }) => sum + cpuSeconds, 0);
  const used = { fast: cpuOf(costs.filter(({ tier }) => tier === 'fast')), all: cpuOf(costs) };
  return (['fast', 'all'] as const)
    .filter((of) => used[of] > limitOf(of) * slowness)
    .map(
      (of) =>
        `${of === 'fast' ? 'npm test' : 'npm run test:all'} needed ${Math.round(used[of])} CPU s; the limit is ${limitOf(of)}, on this machine ${Math.round(limitOf(of) * slowness)}`,
    );
}
