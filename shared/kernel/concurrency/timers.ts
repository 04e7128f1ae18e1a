/**
 * The longest delay of a timer in milliseconds, 24.8 days. Node runs a timer with a longer delay at once, which makes a busy
 * loop of work that sets its timer again.
 */
const longestMs = 2 ** 31 - 1;

/** The delay for a timer whose work may run earlier, because it sets the timer again. */
export const timerDelay = (ms: number): number => Math.min(Math.max(0, ms), longestMs);
