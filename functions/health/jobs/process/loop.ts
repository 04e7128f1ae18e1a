import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../../shared/kernel/observability/log.ts';

export type Job = {
  name: string;
  /** Interval between the starts of two rounds. It is evaluated repeatedly during the wait, because it can change. */
  intervalMs: () => number;
  round: (signal: AbortSignal) => Promise<void>;
};

/**
 * Runs the rounds of a job until `signal` aborts; the promise never rejects. Rounds never overlap: after a round that
 * takes longer than the interval, the next one starts after a short pause.
 * @param pause waits; injected so that tests need not wait
 */
export async function runEvery(
  { name, intervalMs, round }: Job,
  log: Log,
  signal: AbortSignal,
  pause: (remainingMs: () => number, signal: AbortSignal) => Promise<void> = rest,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await round(signal);
    } catch (error) {
      if (!signal.aborted) log.error('a scheduled task failed', { job: name, error });
    }
    const earliest = performance.now() + shortestPauseMs;
    await pause(() => Math.max(earliest, startedAt + intervalMs()) - performance.now(), signal);
  }
}

/** Limits the load of a job whose rounds always exceed the interval. */
const shortestPauseMs = 100;

/** A changed interval takes effect within this time. */
const longestSleepMs = 1_000;

/** Waits; resolves early, without an error, when `signal` aborts. */
async function rest(remainingMs: () => number, signal: AbortSignal): Promise<void> {
  for (let left = remainingMs(); left > 0 && !signal.aborted; left = remainingMs()) {
    await delay(Math.min(left, longestSleepMs), undefined, { signal }).catch(() => undefined);
  }
}
