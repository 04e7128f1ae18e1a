import { createPortalClient } from '../../client/portal-client.ts';
import { factsOf } from './facts.ts';
import { announceSession, isOwner, noteSession, sessionState, watchSession } from './session-state.ts';
import { backgroundHeader, isInUse, noteCounted, watchUse } from './use.ts';

type PageToken = { token: string; user_id?: string; expires_in: number };
type Started = { token?: Promise<PageToken | null>; first: Map<string, Promise<Response | null>> };

declare global {
  /** Requests that were sent while the scripts were loaded. */
  var started: Started | undefined;
}

/** Milliseconds before its end at which a token is replaced. */
const marginMs = 60_000;

/** Milliseconds for a new token. */
const tokenMs = 15_000;

type CurrentToken = { token: string; until: number };
/** Concurrent requests share one request for a token. */
let held: Promise<CurrentToken> | undefined;
let hadToken = false;

const { language } = factsOf();

/** A refused request for a token. Its answer is also that of the requests that need the token. */
class SessionEnd extends Error {
  readonly answer: Response;

  constructor(answer: Response) {
    super('the session has ended');
    this.answer = answer;
  }
}

/** The answer to requests of a page whose user is not that of the session. */
const foreignAnswer = (): Response =>
  Response.json(
    { code: 'user_changed', status: 401, title: 'Another user has signed in', retryable: false },
    { status: 401, headers: { 'content-type': 'application/problem+json' } },
  );

/**
 * @param early the answer to the request that was sent while the scripts were loaded
 * @throws SessionEnd
 * @throws Error if the portal does not answer
 */
async function newToken(early?: Promise<PageToken | null>): Promise<CurrentToken> {
  const given = (await early?.catch(() => null)) ?? (await requestToken());
  if (!isOwner(given.user_id)) {
    noteSession('foreign');
    throw new SessionEnd(foreignAnswer());
  }
  noteSession('valid');
  hadToken = true;
  return { token: given.token, until: Date.now() + given.expires_in * 1_000 - marginMs };
}

async function requestToken(): Promise<PageToken> {
  const answer = await fetch('/signin/token', {
    method: 'POST',
    headers: { accept: 'application/json', ...useHeaders() },
    // All requests of the page wait for the token.
    signal: AbortSignal.timeout(tokenMs),
  });
  if (answer.status === 401) {
    noteSession('ended');
    throw new SessionEnd(answer);
  }
  if (!answer.ok) throw new Error(`the portal answered ${answer.status}`);
  return answer.json();
}

function firstToken(): Promise<CurrentToken> {
  const early = globalThis.started?.token;
  delete globalThis.started?.token;
  return newToken(early);
}

/** @param refused a token that the portal no longer accepts */
async function tokenOf(refused?: string): Promise<string> {
  held ??= firstToken();
  const current = held;
  try {
    const { token, until } = await current;
    if (token !== refused && Date.now() < until) return token;
  } catch (error) {
    if (held === current) held = undefined;
    if (error instanceof SessionEnd) throw error;
    // Another attempt follows.
  }
  if (held === current || !held) held = newToken();
  try {
    return (await held).token;
  } catch (error) {
    held = undefined;
    throw error;
  }
}

/**
 * Sends a request as the user, with a token that stays in memory. An expired token is replaced once. If the session has
 * ended, or another user has signed in, the answer is a refusal, and `window` gets the event `session-changed`.
 */
export async function send(request: Request): Promise<Response> {
  // Each attempt would use up one of the tokens of the other user's session.
  if (sessionState() === 'foreign') return foreignAnswer();
  try {
    // The early answers are those of the first token, which can be that of another user.
    const token = await tokenOf();
    const early = request.method === 'GET' ? await takeEarly(request.url) : undefined;
    if (early?.ok) return early;
    const first = await fetch(signed(request.clone(), token));
    if (!(await isOfToken(first))) return first;
    const second = await fetch(signed(request, await tokenOf(token)));
    if (await isOfToken(second)) noteSession('ended');
    return second;
  } catch (error) {
    if (error instanceof SessionEnd) return error.answer.clone();
    throw error;
  }
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
  const marks = request.headers.has('x-background') ? {} : useHeaders();
  for (const [name, value] of Object.entries(marks)) request.headers.set(name, value);
  return request;
}

/** Marks a request that no input of the user has caused. */
function useHeaders(): Readonly<Record<string, string>> {
  if (!isInUse()) return backgroundHeader;
  noteCounted();
  return {};
}

/** Any request of a session counts; this one is small. Its failure is noticed by the next request. */
function keepAlive(): void {
  if (!hadToken || sessionState() !== 'valid') return;
  const own = new Request('/api/userinfo', { headers: { accept: 'application/json' } });
  send(own).catch(() => undefined);
}

watchUse(keepAlive);

watchSession(() => {
  const checked = newToken();
  held = checked;
  checked.catch(() => {
    if (held === checked) held = undefined;
  });
});

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

/** Ends the session of the browser and opens the sign-in page. It does not end that of another user. */
export async function signOut(): Promise<void> {
  if (sessionState() === 'foreign') return location.assign('/signin');
  const isByProvider = document.cookie.includes('__Host-by-provider=');
  const answer = await fetch(isByProvider ? '/api/auth/v7.0/oidc/sign-out' : '/signout', { method: 'POST' });
  // The session had already ended.
  if (!answer.ok && answer.status !== 401) throw new Error(`the portal answered ${answer.status}`);
  const next: string | undefined = isByProvider && answer.ok ? (await answer.json()).location : undefined;
  announceSession(null);
  forgetRecords();
  location.assign(next ?? '/signin');
}

/** Names of records, which the next person at this computer must not see. The appearance stays. */
function forgetRecords(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (/^(?:recent|views) /.test(key)) localStorage.removeItem(key);
  } catch {
    // Without storage there are none.
  }
}
