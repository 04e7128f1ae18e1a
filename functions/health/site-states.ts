import type { HealthFacts } from '../../db/repositories/sites/probes.ts';
import {
  type ComponentState,
  freshSeconds,
  stateOf,
} from '../../shared/kernel/observability/component-state.ts';

/** The state of a site according to its last probes. */
export type SiteState = { uri: string; state: ComponentState };

/** In any other state, the site is healthy, or has nothing that could fail. */
export const isFailing = ({ state }: SiteState): boolean => state === 'fail';
export const isCounted = ({ state }: SiteState): boolean => state === 'pass' || state === 'fail';

/** @param olderS seconds since the data was read */
export const siteStates = (
  { overrides, sites }: Pick<HealthFacts, 'overrides' | 'sites'>,
  olderS = 0,
): SiteState[] =>
  sites.map(({ uri, ...facts }) => ({ uri, state: stateOf(facts, freshSeconds(overrides) - olderS) }));
