import { AppError } from '../../kernel/errors.ts';

/** The result of one item: its value or its error. */
export type Outcome<T> =
  | { ok: true; value: T; tookMs: number }
  | { ok: false; error: unknown; tookMs: number };

/**
 * Concurrent items, equal to the limit of Workers for concurrent subrequests. An item with several calls queues them.
 */
const atOnce = 6;

/**
 * Runs `work` for every item, at most six at a time. Resolves when all items are done or the deadline has passed. Items
 * that are not done by then are aborted and fail with `upstream_timeout`.
 * @returns one outcome for each item, in the order of the items
 */
export async function fanOut<I, T>(
  items: readonly I[],
  deadlineMs: number,
  work: (item: I, signal: AbortSignal) => Promise<T>,
): Promise<Outcome<T>[]> {
  const started = performance.now();
  const deadline = AbortSignal.timeout(deadlineMs);
  const outcomes: (Outcome<T> | undefined)[] = items.map(() => undefined);
  let next = 0;
  const runner = async (): Promise<void> => {
    for (let at = next++; at < items.length && !deadline.aborted; at = next++) {
      outcomes[at] = await attempt(() => work(items[at] as I, deadline));
    }
  };
  const all = Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, runner));
  await Promise.race([all, whenAborted(deadline)]);
  return outcomes.map((outcome) => outcome ?? late(performance.now() - started));
}

async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  const started = performance.now();
  try {
    return { ok: true, value: await work(), tookMs: performance.now() - started };
  } catch (error) {
    return { ok: false, error, tookMs: performance.now() - started };
  }
}

const late = (tookMs: number): Outcome<never> => ({
  ok: false,
  error: new AppError('upstream_timeout'),
  tookMs,
});

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
