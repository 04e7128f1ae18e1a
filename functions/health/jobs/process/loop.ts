import { setTimeout as delay } from 'node:timers/promises';
import type { Listener } from '../../../../shared/kernel/concurrency/notifier.ts';
import type { Log } from '../../../../shared/kernel/observability/log.ts';

export type Job = {
  name: string;
  /** Interval between the starts of two rounds. It is evaluated repeatedly during the wait, because it can change. */
  intervalMs: () => number;
  round: (signal: AbortSignal) => Promise<void>;
  /** A notification ends the wait for the next round if `intervalMs` has become short enough. */
  listener?: Pick<Listener, 'next'>;
};

/**
 * Runs the rounds of a job until `signal` aborts; the promise never rejects. Rounds never overlap: after a round that
 * takes longer than the interval, the next one starts after a short pause.
 * @param pause waits; injected so that tests need not wait
 */
export async function runEvery(
  { name, intervalMs, round, listener }: Job,
  log: Log,
  signal: AbortSignal,
  pause: (remainingMs: () => number, signal: AbortSignal) => Promise<void> = (remainingMs) =>
    rest(remainingMs, signal, listener),
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
async function rest(
  remainingMs: () => number,
  signal: AbortSignal,
  listener: Pick<Listener, 'next'> = sleeper,
): Promise<void> {
  for (let left = remainingMs(); left > 0 && !signal.aborted; left = remainingMs())
    await listener.next(Math.min(left, longestSleepMs), signal);
}

const sleeper: Pick<Listener, 'next'> = {
  next: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};
