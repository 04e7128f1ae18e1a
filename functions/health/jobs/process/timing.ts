/** Time and randomness of what runs by timers; tests bring virtual ones. */
export type Timing = {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Runs the work after `ms`. @returns what cancels it */
  after(ms: number, work: () => void): () => void;
  /** From 0 up to, and without, 1. */
  random(): number;
};

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Waits; resolves early when `signal` aborts. */
export function pause(timing: Timing, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const cancel = timing.after(ms, end);
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', end);
  });
}
