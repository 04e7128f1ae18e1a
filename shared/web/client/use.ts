/**
 * Milliseconds after an input of the user for which requests count as use of the session. Later ones are background
 * requests, which do not keep it alive.
 */
const inUseMs = 60_000;

const inputs = ['pointerdown', 'keydown', 'wheel'];

/** The header of a request that no input has caused. */
export const backgroundHeader = { 'x-background': 'true' } as const;

// Opening the page is use as well.
let usedAt = Date.now();
let countedAt = Date.now();

/** True if the user has used this page within the last minute. */
export const isInUse = (): boolean => Date.now() - usedAt < inUseMs;

/** Notes a request that counts as use. */
export function noteCounted(): void {
  countedAt = Date.now();
}

/**
 * Watches the inputs of the user.
 * @param keepAlive sends a request that counts as use. It is called at most once a minute, while the user types or
 *   scrolls without sending any
 */
export function watchUse(keepAlive: () => void): void {
  const note = () => {
    usedAt = Date.now();
    if (usedAt - countedAt < inUseMs) return;
    countedAt = usedAt;
    keepAlive();
  };
  for (const input of inputs) addEventListener(input, note, { capture: true, passive: true });
}
