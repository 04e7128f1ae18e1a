/** Seconds before each further attempt after a failed one. */
const delaysS = [5, 60, 300, 1_800, 7_200, 18_000, 28_800] as const;

/** Attempts until a delivery is dead. */
export const mostAttempts = delaysS.length + 1;

/** Bounds of a pause that a receiver asks for, in seconds. */
const longestPauseS = 3_600;

/** Consecutive failures without a success for this long disable a webhook, in milliseconds. */
export const failingForMs = 5 * 86_400_000;

/**
 * Milliseconds until the next attempt, between 80 and 120 percent of its delay, so that receivers are not called by all
 * deliveries at once.
 * @param attempts made so far
 * @param askedS seconds that the receiver asked for with `Retry-After`
 * @param random at least 0 and less than 1
 * @returns undefined if no further attempt is made
 */
export function nextDelayMs(
  attempts: number,
  askedS: number | undefined,
  random: number,
): number | undefined {
  const delay = delaysS[attempts - 1];
  if (delay === undefined) return undefined;
  const own = delay * (0.8 + 0.4 * random);
  return Math.round(1_000 * Math.max(own, Math.min(askedS ?? 0, longestPauseS)));
}

/**
 * Seconds that a `Retry-After` header asks for: a number, or a date.
 * @returns undefined for an invalid or past value
 */
export function retryAfterS(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(value.trim())
    ? Number(value)
    : (Date.parse(value) - now.getTime()) / 1_000;
  return seconds > 0 ? seconds : undefined;
}
