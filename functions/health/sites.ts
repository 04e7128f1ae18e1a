import type { HealthFacts, SiteFacts } from '../../db/repositories/probes.ts';
import { parametersFrom } from '../../shared/kernel/system-parameters.ts';

export const siteStates = ['pass', 'fail', 'maintenance', 'disabled', 'unknown'] as const;
export type SiteState = (typeof siteStates)[number];

/** A site by its last probes. */
export type JudgedSite = { uri: string; state: SiteState };

/** A site in any other state is as it should be, or there is nothing that could be down. */
export const isFailing = ({ state }: JudgedSite): boolean => state === 'fail';
export const isCounted = ({ state }: JudgedSite): boolean => state === 'pass' || state === 'fail';

/**
 * Intervals of probing after which a result is out of date. A result that has not changed is up to two intervals old
 * when the next one is written: nodes are probed once per interval, and such results are written once per interval.
 */
const freshIntervals = 3;

/** Seconds for which a passing probe counts. */
export const freshSeconds = (overrides: HealthFacts['overrides']): number =>
  parametersFrom(overrides)['aggregator.health_interval_s'] * freshIntervals;

/** @param olderS seconds that have passed since the facts were read */
export const judgeSites = (
  { overrides, sites }: Pick<HealthFacts, 'overrides' | 'sites'>,
  olderS = 0,
): JudgedSite[] =>
  sites.map((site) => ({ uri: site.uri, state: stateOf(site, freshSeconds(overrides) - olderS) }));

/** Nodes that were not probed yet make a site unknown only for a while, so that missing probes are noticed. */
function stateOf(site: SiteFacts, freshS: number): SiteState {
  if (!site.enabled) return 'disabled';
  if (site.maintenance) return 'maintenance';
  if (site.nodes === 0) return 'unknown';
  if (site.pass_age_s !== null && site.pass_age_s <= freshS) return 'pass';
  return site.unprobed_age_s !== null && site.unprobed_age_s <= freshS ? 'unknown' : 'fail';
}
