/** The item of the session storage with the number of attempts since the portal was last open in this tab. */
export const attemptsName = 'home-attempts';

const firstMs = 2_000;
const longestMs = 60_000;

/**
 * Milliseconds until the next attempt: doubled each time, up to a minute. Random parts keep the browsers of an
 * installation from returning at the same moment.
 * @param attempts so far
 * @param random from 0 to 1
 */
export const pauseMs = (attempts: number, random = Math.random()): number =>
  Math.min(longestMs, firstMs * 2 ** attempts) * (0.75 + random / 2);
