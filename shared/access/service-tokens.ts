import type { Buffer } from 'node:buffer';
import type { TokenKind } from '../../db/repositories/identity/login/live-principals.ts';
import { randomToken } from '../kernel/crypto/digests.ts';

/**
 * Tokens that begin with a prefix for their kind. The prefix selects the table for the lookup and identifies the token
 * in reports of secret scanners. The pattern includes the length, because one session token in a billion begins with
 * the same five characters.
 */
export const kindOf = (prefix: string) => {
  const pattern = new RegExp(`^${prefix}[\\w-]{43}$`);
  return {
    make: (): string => `${prefix}${randomToken()}`,
    /** @param secret 32 random bytes */
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

/** The token of a browser session. It is accepted in the cookie only, not in a header. */
export const newBrowserToken = browser.make;
export const isBrowserToken = browser.matches;

/** The token with which a page of a browser session calls the API. */
export const newPageToken = page.make;
export const isPageToken = page.matches;

/** The kind of a token, by its prefix. */
export const kindOfToken = (token: string): TokenKind => {
  if (isServiceToken(token)) return 'service';
  if (isPeerToken(token)) return 'peer';
  return isPageToken(token) ? 'page' : 'session';
};
