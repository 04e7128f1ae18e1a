/** Yields to the event loop, for CPU-bound work that takes several milliseconds per step. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
