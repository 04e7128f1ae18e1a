import { isSignedIn, type Principal } from '../../context/principal.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Language } from '../../messages/languages.ts';
import type { Operation } from '../declare/operation.ts';
import { forbiddenPage } from './refusal-page.ts';

/** The prefix has a browser refuse it from another host, over plain HTTP, or for a part of the paths. */
const name = '__Host-session';
const kept = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** The cookie of a browser session; it goes when the browser is closed. */
export const sessionCookie = (token: string): string => `${name}=${token}; ${kept}`;

/** What takes the cookie back. */
export const noCookie = `${name}=; ${kept}; Max-Age=0`;

/**
 * The token of the browser session that a request brings. A write counts only from a page of this portal: what another
 * site has a browser send brings no session along.
 * @param baseUrl `BASE_URL`
 */
export function cookieTokenOf(request: Request, baseUrl: string): string | undefined {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isFromOwnPage(request.headers, baseUrl)) return undefined;
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * True if a page of this portal sent the request. Browsers name the relation in `Sec-Fetch-Site` and the page's scheme,
 * host and port in `Origin`. Older browsers send only the latter. A request with neither is not from a page.
 * @param baseUrl `BASE_URL`: the request itself may come by another name, as with DNS rebinding
 */
export function isFromOwnPage(headers: Headers, baseUrl: string): boolean {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site === null && origin === null) return false;
  const isSameOrigin = origin === null || origin === new URL(baseUrl).origin;
  return isSameOrigin && (site === null || site === 'same-origin');
}

/** @throws AppError `unauthenticated` on the user portal, for what is there for administrators */
export function assertBrowser(browser: NonNullable<Operation['browser']>, principal: Principal): void {
  if (browser !== 'any' && isSignedIn(principal) && principal.portal !== 'admin')
    throw new AppError('unauthenticated', 'A session on the administrator portal is required', {
      reason: administratorsOnly,
    });
}

const administratorsOnly = 'administrators_only';

const signInFirst: readonly string[] = ['unauthenticated', 'invalid_token', 'password_change_required'];

/**
 * Sends the reader of a page to sign in, and back here afterwards. A reader who is signed in without the right gets a page that
 * says so. Programs get the refusal as it is.
 * @param language of the reader, known once the answer has ended
 */
export async function orSignIn(
  request: Request,
  answer: Promise<Response>,
  language: () => Language,
): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    const isReader = request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');
    if (!isReader || !(error instanceof AppError) || !signInFirst.includes(error.code)) throw error;
    const { pathname } = new URL(request.url);
    if (error.members.reason === administratorsOnly) return forbiddenPage(pathname, error.detail, language());
    const next = encodeURIComponent(pathname);
    return new Response(null, { status: 302, headers: { location: `/signin?next=${next}` } });
  }
}
