import type { Actor } from '../access/actor.ts';
import { AppError } from '../kernel/errors.ts';
import type { Operation } from './operation.ts';

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
 */
export function cookieTokenOf(request: Request): string | undefined {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isFromOwnPage(request.headers, new URL(request.url).host)) return undefined;
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Whether a page of this portal sent the request: browsers say so in Sec-Fetch-Site, older ones name the page's
 * origin. Who says neither is no browser with a page.
 * @param host with its port
 */
export function isFromOwnPage(headers: Headers, host: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin') ?? '';
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** @throws AppError `unauthenticated` on the user portal, for what is there for administrators */
export function assertBrowser({ browser }: Pick<Operation, 'browser'>, actor: Actor): void {
  if (browser === 'administrator' && actor.kind === 'user' && actor.session.portal !== 'admin')
    throw new AppError('unauthenticated', 'This needs a session on the administrator portal');
}

const signInFirst: readonly string[] = ['unauthenticated', 'invalid_token', 'password_change_required'];

/** Sends the reader of a page to sign in, and back here afterwards; programs get the refusal as it is. */
export async function orSignIn(request: Request, answer: Promise<Response>): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    const isReader = request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html');
    if (!isReader || !(error instanceof AppError) || !signInFirst.includes(error.code)) throw error;
    const next = encodeURIComponent(new URL(request.url).pathname);
    return new Response(null, { status: 302, headers: { location: `/signin?next=${next}` } });
  }
}
