import type { HealthFacts, SiteFacts } from '../../db/repositories/probes.ts';
import { parametersFrom } from '../../shared/kernel/system-parameters.ts';

/** A site by its last probes; only what is wanted to work, and could, counts for the whole. */
export type JudgedSite = { uri: string; isPassing: boolean; isCounted: boolean };

/** Intervals of probing after which what they saw is no longer believed. */
const freshIntervals = 3;

/** Seconds for which a passing probe is believed. */
export const freshSeconds = (overrides: HealthFacts['overrides']): number =>
  parametersFrom(overrides)['aggregator.health_interval_s'] * freshIntervals;

/** @param olderS seconds that have passed since the facts were read */
export const judgeSites = (
  { overrides, sites }: Pick<HealthFacts, 'overrides' | 'sites'>,
  olderS = 0,
): JudgedSite[] => sites.map((site) => judgeSite(site, freshSeconds(overrides) - olderS));

/**
 * A site that is switched off, or worked on, is as it should be. An enabled site without nodes fails (nothing of it
 * passes) but is not counted: there is nothing that could be down.
 */
function judgeSite({ uri, enabled, maintenance, nodes, pass_age_s }: SiteFacts, freshS: number): JudgedSite {
  const isWanted = enabled && !maintenance;
  const isPassing = pass_age_s !== null && pass_age_s <= freshS;
  return { uri, isPassing: !isWanted || isPassing, isCounted: isWanted && nodes > 0 };
}
