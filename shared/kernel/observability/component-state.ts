import { parametersFrom } from '../system-parameters.ts';

/**
 * State of a component that is monitored: a site, a farm, a dispatcher node, or a part of the portal itself. `unknown`:
 * there is nothing that could fail, or it was not checked yet.
 */
export const componentStates = ['pass', 'fail', 'maintenance', 'disabled', 'unknown'] as const;
export type ComponentState = (typeof componentStates)[number];

/** The status of the health format. Only `fail` is a failure; monitors must not alarm for the other states. */
export const statusOf = (state: ComponentState): 'pass' | 'fail' => (state === 'fail' ? 'fail' : 'pass');

/** What the state of a site, a farm or a dispatcher node depends on. Ages are in seconds. */
export type StateFacts = {
  /** The component and all that it lies in. */
  enabled: boolean;
  /** The component, something that it lies in, or all farms of a site that have nodes. */
  maintenance: boolean;
  /** Nodes that are probed and not in maintenance. */
  nodes: number;
  /** Age of the youngest passing probe of these nodes. Null without one. */
  pass_age_s: number | null;
  /** Time since the last change of one of these nodes, as long as none of them was probed. Null afterwards. */
  unprobed_age_s: number | null;
};

/**
 * Intervals of probing after which a result is out of date. A result that has not changed is up to two intervals old
 * when the next one is written: nodes are probed once per interval, and such results are written once per interval.
 */
const freshIntervals = 3;

/** Seconds for which a passing probe counts. */
export const freshSeconds = (overrides: Record<string, unknown> | null): number =>
  parametersFrom(overrides)['aggregator.health_interval_s'] * freshIntervals;

/**
 * The state of a site, a farm or a node. Health check, metrics, status page and API all use this function.
 * @param freshS seconds for which a probe counts
 */
export function stateOf(facts: StateFacts, freshS: number): ComponentState {
  if (!facts.enabled) return 'disabled';
  if (facts.maintenance) return 'maintenance';
  if (facts.nodes === 0) return 'unknown';
  if (facts.pass_age_s !== null && facts.pass_age_s <= freshS) return 'pass';
  // Nodes without a probe are unknown only for a while, so that missing probes are noticed.
  return facts.unprobed_age_s !== null && facts.unprobed_age_s <= freshS ? 'unknown' : 'fail';
}
