import { timerDelay } from '../../../../shared/kernel/concurrency/timers.ts';

/** Clock, timers and random numbers; tests inject virtual ones. */
export type Timing = {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Runs the work after `ms`, or after 24.8 days if that is earlier. @returns a function that cancels it */
  after(ms: number, work: () => void): () => void;
  /** At least 0 and less than 1. */
  random(): number;
};

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, timerDelay(ms));
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
