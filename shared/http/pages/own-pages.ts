import { isSignedIn, type Principal } from '../../context/principal.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Operation } from '../declare/operation.ts';
import { forbiddenPage, isForReader, type MessageView } from './message-page.ts';

/** With this prefix, browsers reject the cookie from another host, over plain HTTP, or with a limited path. */
const name = '__Host-session';
const cookieAttributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** The cookie of a browser session. It is deleted when the browser closes. */
export const sessionCookie = (token: string): string => `${name}=${token}; ${cookieAttributes}`;

/** SHA-256 of the token of the present session of a browser, which a new one replaces. */
export function presentSession(cookies: ReadonlyMap<string, string>): string | undefined {
  const token = cookies.get(name);
  return token === undefined || token === '' ? undefined : sha256(token);
}

/** The header value that deletes the cookie. */
export const noCookie = `${name}=; ${cookieAttributes}; Max-Age=0`;

/**
 * Returns the session token in the cookie of a request. For a write, it is returned only if a page of this portal sent
 * the request: requests that other sites cause do not use the session.
 * @param baseUrl `BASE_URL`
 */
export function cookieTokenOf(request: Request, baseUrl: string): string | undefined {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isFromOwnPage(request.headers, baseUrl)) return undefined;
  return cookiesOf(request.headers).get(name);
}

/** The cookies of a request by name. Of several with one name, the first counts. */
export function cookiesOf(headers: Headers): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(key)) cookies.set(key, pair.slice(at + 1).trim());
  }
  return cookies;
}

/**
 * True if a page of this portal sent the request. Browsers send the relation in `Sec-Fetch-Site`, and the scheme, host
 * and port of the page in `Origin`. Older browsers send only `Origin`. A request with neither header is not from a
 * page.
 * @param baseUrl `BASE_URL`, because the request itself can use another host name, as with DNS rebinding
 */
export function isFromOwnPage(headers: Headers, baseUrl: string): boolean {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site === null && origin === null) return false;
  const isSameOrigin = origin === null || origin === new URL(baseUrl).origin;
  return isSameOrigin && (site === null || site === 'same-origin');
}

/** @throws AppError `unauthenticated` on the user portal, if the operation is for administrators */
export function assertBrowser(browser: NonNullable<Operation['browser']>, principal: Principal): void {
  if (browser !== 'any' && isSignedIn(principal) && principal.portal !== 'admin')
    throw new AppError('unauthenticated', 'A session on the administrator portal is required', {
      reason: administratorsOnly,
    });
}

/**
 * The redirect of a page that was opened without the slash at the end of its address: service workers and installed apps
 * have the address with it as their scope. Undefined if nothing is missing.
 * @param path of the declaration
 */
export function withSlash(request: Request, path: string): Response | undefined {
  const { pathname, search } = new URL(request.url);
  if (!path.endsWith('/') || pathname.endsWith('/')) return undefined;
  if (!isForReader(request.method, request.headers.get('accept'))) return undefined;
  return new Response(null, { status: 302, headers: { location: `${path}${search}` } });
}

const administratorsOnly = 'administrators_only';

const signInFirst: readonly string[] = ['unauthenticated', 'invalid_token', 'password_change_required'];

/**
 * Redirects the user of a page to the sign-in page, and back afterwards. Users with a session but without the right
 * receive a page with the reason. Programs receive the error unchanged.
 * @param view of the page with the reason; the language of the user is known after the response is complete
 */
export async function orSignIn(
  request: Request,
  answer: Promise<Response>,
  view: () => Promise<MessageView>,
): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    const isReader = isForReader(request.method, request.headers.get('accept'));
    if (!isReader || !(error instanceof AppError) || !signInFirst.includes(error.code)) throw error;
    const { pathname } = new URL(request.url);
    if (error.members.reason === administratorsOnly)
      return forbiddenPage(pathname, error.detail, await view());
    const next = encodeURIComponent(pathname);
    return new Response(null, { status: 302, headers: { location: `/signin?next=${next}` } });
  }
}

/** A path of this portal, which other pages may ask to open after a sign-in. Prevents open redirects. */
export const pathOfPortal = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])[\w./-]*(?:#[\w./-]*)?$/.test(next) ? next : undefined;
