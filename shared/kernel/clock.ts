/** The present moment; injected so that tests can move it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** @returns `at` moved by a number of seconds, negative for earlier. */
export const addSeconds = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);
