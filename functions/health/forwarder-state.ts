import type { ForwardState } from '../../db/repositories/audit/forwards.ts';
import type { ComponentState } from '../../shared/kernel/observability/component-state.ts';

/** URLs of log collectors; an absent one is not configured. */
export type Collectors = { fluentd?: string | undefined; syslog?: string | undefined };

/** Seconds for which the result of an attempt is valid. A round of a busy forwarder takes up to one minute. */
const freshS = 60;

/**
 * Returns the state of each configured log collector according to the last attempt to deliver to it. Without a recent
 * attempt, the state is `unknown` shortly after the start, so that a start triggers no alert, and `fail` later.
 * @param states as returned by `forwardStates`
 * @param urls of the collectors; an absent one is not configured
 * @param servingS seconds since this process started to serve requests
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
