import type { ForwardState } from '../../db/repositories/audit/forwards.ts';
import type { ComponentState } from '../../shared/kernel/observability/component-state.ts';

/** URLs of log collectors; an absent one is not configured. */
export type Collectors = { fluentd?: string | undefined; syslog?: string | undefined };

/** Seconds after which an attempt says nothing any more: rounds of a busy forwarder last up to a minute. */
const freshS = 60;

/**
 * The configured log collectors by the last attempt at each. Without a recent one a collector is unknown at first, so that
 * a start does not alarm.
 * @param states as `forwardStates` reads them
 * @param urls of the collectors; absent ones are not configured
 * @param servingS seconds since this process began to answer
 */
export function forwarderStates(
  states: readonly ForwardState[],
  urls: Collectors,
  servingS: number,
): { name: string; state: ComponentState }[] {
  return (['fluentd', 'syslog'] as const).flatMap((target) => {
    const url = urls[target];
    if (url === undefined) return [];
    const last = states.find((one) => one.target === target);
    return [{ name: `${target}(${new URL(url).host})`, state: stateOf(last, servingS) }];
  });
}

function stateOf(last: ForwardState | undefined, servingS: number): ComponentState {
  const isFresh = (last?.checkedAgeS ?? Number.POSITIVE_INFINITY) <= freshS;
  if (!isFresh) return servingS <= freshS ? 'unknown' : 'fail';
  return last?.error === null ? 'pass' : 'fail';
}
