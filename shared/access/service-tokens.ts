import type { Buffer } from 'node:buffer';
import { randomToken } from '../kernel/crypto/digests.ts';

/**
 * Tokens that begin with their kind, so that each is looked up in its own table, and a scanner for leaked secrets shows
 * what it has found. The length belongs to it: one session token in a billion begins with the same five characters.
 */
export const kindOf = (prefix: string) => {
  const pattern = new RegExp(`^${prefix}[\\w-]{43}$`);
  return {
    make: (): string => `${prefix}${randomToken()}`,
    /** @param secret 32 bytes that cannot be guessed */
    of: (secret: Buffer): string => `${prefix}${secret.toString('base64url')}`,
    matches: (token: string): boolean => pattern.test(token),
  };
};

const service = kindOf('agst_');
const peer = kindOf('agpt_');
const browser = kindOf('agbs_');
const page = kindOf('agpg_');

export const newServiceToken = service.make;
export const isServiceToken = service.matches;

/** The token of a session of a peer aggregator. */
export const newPeerToken = peer.make;
export const isPeerToken = peer.matches;

/** The token of a browser session, which the cookie carries and no header does. */
export const newBrowserToken = browser.make;
export const isBrowserToken = browser.matches;

/** What a page of a browser session calls the API with. */
export const newPageToken = page.make;
export const isPageToken = page.matches;
