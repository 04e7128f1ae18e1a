import type { ForwardState } from '../../db/repositories/audit-forwards.ts';

/** URLs of log collectors; an absent one is not configured. */
export type Collectors = { fluentd?: string | undefined; syslog?: string | undefined };

/** Seconds after which an attempt says nothing any more: rounds of a busy forwarder last up to a minute. */
const freshS = 60;

/**
 * The configured log collectors, and whether the last attempt at each went well and was made lately.
 * @param states as `forwardStates` reads them
 * @param urls of the collectors; absent ones are not configured
 */
export function forwarderStates(
  states: readonly ForwardState[],
  urls: Collectors,
): { name: string; isPassing: boolean }[] {
  return (['fluentd', 'syslog'] as const).flatMap((target) => {
    const url = urls[target];
    if (url === undefined) return [];
    const state = states.find((one) => one.target === target);
    const isFresh = (state?.checkedAgeS ?? Number.POSITIVE_INFINITY) <= freshS;
    return [{ name: `${target}(${new URL(url).host})`, isPassing: isFresh && state?.error === null }];
  });
}
