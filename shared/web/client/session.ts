import { createPortalClient } from '../../client/portal-client.ts';
import { factsOf } from './facts.ts';

type PageToken = { token: string; expires_in: number };
type Started = { token: Promise<PageToken | null>; first: Map<string, Promise<Response | null>> };

declare global {
  /** Requests that were sent while the scripts were loaded. */
  var started: Started | undefined;
}

/** The event of `window` when the session has ended. */
export const sessionEnded = 'session-ended';

/** Milliseconds before its end at which a token is replaced. */
const marginMs = 60_000;

/** Milliseconds for a new token. */
const tokenMs = 15_000;

type CurrentToken = { token: string; until: number };
/** Concurrent requests share one request for a token. */
let held: Promise<CurrentToken> | undefined;

const { language } = factsOf();

/** @throws Error if the session has ended or the portal does not answer */
async function newToken(given: Promise<PageToken | null>): Promise<CurrentToken> {
  const answer = await given;
  if (answer === null) throw new Error('the session has ended');
  return { token: answer.token, until: Date.now() + answer.expires_in * 1_000 - marginMs };
}

async function requestToken(): Promise<PageToken | null> {
  const answer = await fetch('/signin/token', {
    method: 'POST',
    headers: { accept: 'application/json' },
    // All requests of the page wait for the token.
    signal: AbortSignal.timeout(tokenMs),
  });
  if (answer.status === 401) {
    window.dispatchEvent(new Event(sessionEnded));
    return null;
  }
  if (!answer.ok) throw new Error(`the portal answered ${answer.status}`);
  return answer.json();
}

/** @param refused a token that the portal no longer accepts */
async function tokenOf(refused?: string): Promise<string> {
  held ??= newToken(globalThis.started?.token.catch(requestToken) ?? requestToken());
  const current = held;
  try {
    const { token, until } = await current;
    if (token !== refused && Date.now() < until) return token;
  } catch {
    // Another attempt follows.
  }
  if (held === current) held = newToken(requestToken());
  try {
    return (await held).token;
  } catch (error) {
    held = undefined;
    throw error;
  }
}

/**
 * Sends a request as the user, with a token that stays in memory. An expired token is replaced once. If the session has
 * ended, `window` gets the event `session-ended`.
 */
export async function send(request: Request): Promise<Response> {
  const early = request.method === 'GET' ? takeEarly(request.url) : undefined;
  const answer = await early;
  if (answer?.ok) return answer;
  const token = await tokenOf();
  const first = await fetch(signed(request.clone(), token));
  if (!(await isOfToken(first))) return first;
  const second = await fetch(signed(request, await tokenOf(token)));
  if (await isOfToken(second)) window.dispatchEvent(new Event(sessionEnded));
  return second;
}

/** The token was refused. Wrong passwords have the same status, and must not be sent again. */
async function isOfToken(answer: Response): Promise<boolean> {
  if (answer.status !== 401) return false;
  const problem: unknown = await answer
    .clone()
    .json()
    .catch(() => null);
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : '';
  return code === 'invalid_token' || code === 'unauthenticated';
}

/** The answer to a request that was sent while the scripts were loaded, once. */
function takeEarly(url: string): Promise<Response | null> | undefined {
  const { pathname } = new URL(url);
  const answer = globalThis.started?.first.get(pathname);
  globalThis.started?.first.delete(pathname);
  return answer?.catch(() => null);
}

function signed(request: Request, token: string): Request {
  request.headers.set('x-auth-token', token);
  request.headers.set('accept-language', language);
  return request;
}

/**
 * The API of this portal, as the user. A person does not wait for long repetitions: the page shows the failure. A page that
 * does not use it is built without the list of operations.
 */
export const portal = /* @__PURE__ */ createPortalClient({
  baseUrl: location.origin,
  fetch: send,
  retries: 1,
  longestWaitMs: 1_000,
});

/** Ends the session of the browser and opens the sign-in page. */
export async function signOut(): Promise<void> {
  const answer = await fetch('/signout', { method: 'POST' });
  // The session had already ended.
  if (!answer.ok && answer.status !== 401) throw new Error(`the portal answered ${answer.status}`);
  location.assign('/signin');
}
