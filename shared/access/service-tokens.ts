import { randomToken } from '../kernel/digests.ts';

/** Tells a service token from the token of a session, and shows a scanner for leaked secrets what it has found. */
const prefix = 'agst_';

export const newServiceToken = (): string => `${prefix}${randomToken()}`;

/** The length belongs to it: one session token in a billion begins with the same five characters. */
export const isServiceToken = (token: string): boolean => pattern.test(token);

const pattern = new RegExp(`^${prefix}[\\w-]{43}$`);
