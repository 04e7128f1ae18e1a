/** Lets everything else that waits run first: for work that takes milliseconds for each of its parts. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
