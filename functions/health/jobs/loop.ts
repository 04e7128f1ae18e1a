import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../shared/kernel/log.ts';

export type Job = {
  name: string;
  /** Asked after each round: the time from the start of one round to the start of the next. */
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
  pause: (ms: number, signal: AbortSignal) => Promise<void> = rest,
): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    try {
      await round(signal);
    } catch (error) {
      if (!signal.aborted) log.error('a job failed', { job: name, error });
    }
    await pause(Math.max(shortestPauseMs, intervalMs() - (performance.now() - startedAt)), signal);
  }
}

/** A job that is always late must not keep the process busy. */
const shortestPauseMs = 100;

/** @returns early, and without an error, when `signal` aborts */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
