import type { Schema } from './schemas.ts';

/**
 * True for operations that programs call. Operations that accept only the browser cookie and operations that return
 * pages are for browsers, and those of SCIM are for identity providers, which have clients of their own.
 */
export function isForPrograms({ security, responses }: Schema): boolean {
  const schemes = listOf(security).map((one) => Object.keys(Object(one)).join());
  const isForOthers =
    schemes.length > 0 && schemes.every((scheme) => ['BrowserSession', 'ScimToken'].includes(scheme));
  return !isForOthers && !isPage(responses);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isPage = (responses: unknown): boolean =>
  Object.keys(Object(Object(Object(responses)['200']).content)).join() === 'text/html';
