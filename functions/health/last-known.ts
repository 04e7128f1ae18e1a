/** What a reader knows: the last value (absent before the first one), its age, and how long the caller waited. */
export type Known<T> = { value: T | undefined; isFresh: boolean; ageS: number; waitedS: number };

/**
 * Reads at most once at a time, and makes nobody wait longer than `patienceMs`: whoever runs out of patience gets
 * what was known before. A read that ends late still counts for those who come after it.
 * @param onFailure told about every read that failed
 */
export function lastKnown<T>(
  read: () => Promise<T>,
  patienceMs: number,
  onFailure: (error: unknown) => void,
): () => Promise<Known<T>> {
  let known: { value: T; at: number } | undefined;
  let flight: Promise<boolean> | undefined;
  const fly = async (): Promise<boolean> => {
    try {
      known = { value: await read(), at: performance.now() };
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    } finally {
      flight = undefined;
    }
  };
  return async () => {
    const startedAt = performance.now();
    flight ??= fly();
    const isFresh = await inTime(flight, patienceMs);
    const now = performance.now();
    const ageS = known ? (now - known.at) / 1000 : 0;
    return { value: known?.value, isFresh, ageS, waitedS: (now - startedAt) / 1000 };
  };
}

/** @returns false as well when `flight` does not land within `patienceMs` */
async function inTime(flight: Promise<boolean>, patienceMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), patienceMs);
  try {
    return await Promise.race([flight, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
