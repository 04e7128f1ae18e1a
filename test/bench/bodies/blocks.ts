/**
 * Runs work and gives the longest time in milliseconds for which it kept the event loop from anything else. Between two
 * turns of the loop nothing but the work can run, so that a turn that takes long is the work's.
 */
export async function longestBlock<T>(work: () => Promise<T>): Promise<{ block: number; result: T }> {
  let longest = 0;
  let isRunning = true;
  let last = performance.now();
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  // What the work did last belongs to a turn that has not ended.
  await new Promise((resolve) => setImmediate(resolve));
  isRunning = false;
  return { block: longest, result };
}
