import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../../shared/kernel/observability/log.ts';

export type Job = {
  name: string;
  /** The time from the start of one round to the start of the next; asked again while it passes, since it may change. */
  intervalMs: () => number;
  round: (signal: AbortSignal) => Promise<void>;
};

/**
 * Runs a job round after round until `signal` aborts; the promise never rejects. Rounds never overlap: after one
 * that took longer than the interval the next one starts a moment later.
 * @param pause waits; injected so that tests need not
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

/** A job that is always late must not keep the process busy. */
const shortestPauseMs = 100;

/** A changed interval counts within this time. */
const longestSleepMs = 1_000;

/** @returns early, and without an error, when `signal` aborts */
async function rest(remainingMs: () => number, signal: AbortSignal): Promise<void> {
  for (let left = remainingMs(); left > 0 && !signal.aborted; left = remainingMs()) {
    await delay(Math.min(left, longestSleepMs), undefined, { signal }).catch(() => undefined);
  }
}
