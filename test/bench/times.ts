import { quantile } from '../structure/sizes.ts';
import { rounded } from './load.ts';

/** Of sequential requests. */
export type Times = { p50_ms: number; p95_ms: number };

/** @param took milliseconds */
export const timesOf = (took: readonly number[]): Times => ({
  p50_ms: rounded(quantile(took, 0.5), 1),
  p95_ms: rounded(quantile(took, 0.95), 1),
});

/** @returns milliseconds */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
