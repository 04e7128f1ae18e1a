import type { HealthFacts } from '../../db/repositories/sites/probes.ts';
import {
  type ComponentState,
  freshSeconds,
  stateOf,
} from '../../shared/kernel/observability/component-state.ts';

/** A site by its last probes. */
export type JudgedSite = { uri: string; state: ComponentState };

/** A site in any other state is as it should be, or there is nothing that could be down. */
export const isFailing = ({ state }: JudgedSite): boolean => state === 'fail';
export const isCounted = ({ state }: JudgedSite): boolean => state === 'pass' || state === 'fail';

/** @param olderS seconds that have passed since the facts were read */
export const judgeSites = (
  { overrides, sites }: Pick<HealthFacts, 'overrides' | 'sites'>,
  olderS = 0,
): JudgedSite[] =>
  sites.map(({ uri, ...facts }) => ({ uri, state: stateOf(facts, freshSeconds(overrides) - olderS) }));
