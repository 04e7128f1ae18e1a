/** Returns the current time. Injected, so that tests can control it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** @returns `at` plus a number of seconds; a negative number gives an earlier time */
export const addSeconds = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);
