import { readdir, readFile } from 'node:fs/promises';
import type { Descriptors } from '../../kernel/observability/descriptors.ts';

/** Reads the descriptors of this process; undefined on systems without `/proc`. */
export type DescriptorReader = () => Promise<Descriptors | undefined>;

/** Counting takes time in proportion to the number of descriptors. */
const freshMs = 1_000;

/** @returns a reader that counts at most once per second; the limit is the soft one */
export function createDescriptorReader(): DescriptorReader {
  let max = Number.POSITIVE_INFINITY;
  let last: { at: number; value: Descriptors | undefined } | undefined;
  const count = async (): Promise<Descriptors | undefined> => {
    try {
      max = softLimitIn(await readFile('/proc/self/limits', 'utf8'));
      // Excludes the descriptor of the folder itself.
      return { open: (await readdir('/proc/self/fd')).length - 1, max };
    } catch (error) {
      return isExhausted(error) ? { open: max, max } : undefined;
    }
  };
  return async () => {
    const now = performance.now();
    if (!last || now - last.at >= freshMs) last = { at: now, value: await count() };
    return last.value;
  };
}

/** @returns infinity for `unlimited`, or if the line is missing */
export const softLimitIn = (limits: string): number =>
  Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);

/** Reading itself needs a descriptor. */
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
