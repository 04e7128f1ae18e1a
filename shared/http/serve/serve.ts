import type { Context } from 'hono';
import type { Scope } from '../../../db/repositories/records/scope.ts';
import { admit } from '../../access/guard.ts';
import type { FoundPrincipal } from '../../access/session.ts';
import { isUseStale, noteUse } from '../../access/session.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { Trace } from '../../context/trace.ts';
import { createSemaphore } from '../../kernel/concurrency/semaphore.ts';
import { AppError } from '../../kernel/errors.ts';
import type { HttpDeps, RequestCtx } from '../context.ts';
import { isWrite, type Operation, type RawInput, type Shape } from '../declare/operation.ts';
import type { Invocation } from '../invocation.ts';
import { assertBrowser, cookieTokenOf, isFromOwnPage } from '../pages/own-pages.ts';
import { runInRequestedMode } from '../writes/modes.ts';
import { Answer, Document, isStream } from './answer.ts';
import { type Caller, identify } from './caller.ts';
import { type Coding, codingOf, encoded } from './compression.ts';
import { etagOf, isUnchanged } from './conditions.ts';
import { languageFor } from './language.ts';
import { rateLimitsOf } from './rate-limits.ts';
import { readInput } from './read-input.ts';
import { untilAccessEnds } from './user-streams.ts';

export type Served = Context<{
  Bindings: Invocation;
  Variables: { trace: Trace; ctx?: RequestCtx; operation?: string };
}>;

/**
 * Returns the presented token: that of the cookie if the operation is for browser sessions, otherwise that of the
 * header.
 */
function presentedToken({ browser }: Pick<Operation, 'browser'>, request: Request, baseUrl: string) {
  const token = request.headers.get('x-auth-token') ?? undefined;
  const isByCookie = browser !== undefined && !(browser === 'administrator or token' && token);
  return { token: isByCookie ? cookieTokenOf(request, baseUrl) : token, isByCookie };
}

const clientHeaders = ({ headers }: Request, baseUrl: string) => ({
  userAgent: (headers.get('user-agent') ?? '').slice(0, 512),
  accepted: (headers.get('accept-language') ?? '').slice(0, 512),
  isOwnPage: () => isFromOwnPage(headers, baseUrl),
});

const safe: readonly string[] = ['GET', 'HEAD'];

/**
 * Cloudflare Workers allow six concurrent subrequests that wait for response headers; further ones are queued and can
 * exceed their time limit. A database that is reached over HTTP counts as well.
 */
const upstreamAtOnce = 6;

/**
 * Serves one request. The order of checks is HTTPS, rate limit, session, permission, input.
 * @throws AppError for every rejection; it is rendered in one place
 */
export async function serveOperation<D extends BaseDeps>(
  c: Served,
  deps: D & HttpDeps,
  operation: Operation<D>,
): Promise<Response> {
  const { client } = c.env;
  if (!client.secure && !client.loopback) throw new AppError('https_required');
  const now = deps.clock();
  const credentials = presentedToken(operation, c.req.raw, deps.baseUrl);
  const identified = identify(deps, operation, { ...c.env, ...credentials, now });
  const { caller, unchecked } = await besideKeyCheck(deps.verifyKeys?.(), identified);
  const { principal } = caller;
  const ctx = contextOf(c, deps, operation, caller, now);
  // Must run before the guard, so that a rejection is attributed to the principal.
  c.set('ctx', ctx);
  if (operation.browser) assertBrowser(operation.browser, principal);
  const sessionlessInput = await readSessionlessInput(c, operation, principal);
  if (!sessionlessInput) ctx.scope = admitted(ctx, operation);
  if (isFound(caller) && isUseStale(caller.principal, now)) ctx.later(() => noteUse(deps.db, caller, now));
  if (operation.credential?.in === 'header') ctx.principal = await operation.credential.prove(ctx);
  const raw = sessionlessInput ?? (await readInput(c, operation));
  // A page can be shown without a database, but writes must not use keys that may be wrong.
  if (unchecked !== undefined && !safe.includes(c.req.method)) throw unchecked;
  const run = async (own: RequestCtx<D>): Promise<Response> => {
    const result = await operation.run(own, raw);
    const { token } = credentials;
    const isWatched = token !== undefined && isStream(result);
    return respond(c, deps, operation, isWatched ? untilAccessEnds(deps, token, result) : result);
  };
  return isWrite(operation) ? runInRequestedMode(ctx, operation, c.req.raw, raw, run) : run(ctx);
}

/** @throws AppError as `admit`; the error names a token in the wrong header */
function admitted({ principal, bearer }: RequestCtx, operation: Operation<never>): Scope {
  try {
    return admit(principal, {
      ...operation,
      writes: operation.method !== 'GET' && !operation.readsOnly,
    });
  } catch (error) {
    const isMisplaced = error instanceof AppError && error.code === 'unauthenticated' && bearer !== undefined;
    throw isMisplaced ? new AppError('unauthenticated', misplacedToken) : error;
  }
}

const misplacedToken =
  'Send the session token in the header X-Auth-Token; Authorization: Bearer is not supported here';

/** Creates the context of a request. Its scope is set after the guard. */
function contextOf<D extends BaseDeps>(
  c: Served,
  deps: D,
  operation: Operation<D>,
  { principal, parameters }: Caller,
  now: Date,
): RequestCtx<D> {
  const { client, background } = c.env;
  const trace = c.get('trace');
  const inForce = parameters ?? rateLimitsOf(deps).parameters();
  const upstream = createSemaphore(upstreamAtOnce);
  return {
    deps,
    principal,
    parameters: inForce,
    scope: [],
    language: languageFor({
      principal,
      accepted: c.req.header('accept-language') ?? '',
      fallback: inForce['ui.default_language'],
    }),
    requestId: trace.requestId,
    trace,
    client: { ...client, ...clientHeaders(c.req.raw, deps.baseUrl) },
    operation: { id: operation.id, method: operation.method, path: operation.path },
    bearer: /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1],
    accepts: (mediaType) => (c.req.header('accept') ?? '').toLowerCase().includes(mediaType),
    log: deps.log,
    now,
    gone: () => c.req.raw.signal,
    background,
    upstream,
    later: (write) => background(upstream(write)),
  };
}

/** The first requests of a process wait for the check of its keys, which runs in parallel with the session lookup. */
async function besideKeyCheck(
  check: Promise<unknown> | undefined,
  identified: Promise<Caller>,
): Promise<{ caller: Caller; unchecked?: unknown }> {
  if (!check) return { caller: await identified };
  const [checked, found] = await Promise.allSettled([check, identified]);
  if (checked.status === 'rejected') throw checked.reason;
  if (found.status === 'rejected') throw found.reason;
  return { caller: found.value, unchecked: checked.value };
}

/**
 * Reads the input of a caller without a session, if it contains the member that replaces one. Other requests are left
 * to the guard, which does not depend on the input.
 */
async function readSessionlessInput(
  c: Served,
  operation: Operation<never>,
  principal: Caller['principal'],
): Promise<RawInput | undefined> {
  const { credential } = operation;
  if (credential?.in !== 'member' || principal.kind !== 'anonymous') return undefined;
  const raw = await readInput(c, operation).catch(refusedInput);
  if (!raw?.body || raw.faults.length > 0) return undefined;
  return Object.hasOwn(raw.body, credential.member) ? raw : undefined;
}

function refusedInput(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
  return undefined;
}

const isFound = (caller: Caller): caller is FoundPrincipal => caller.parameters !== undefined;

async function respond(
  c: Served,
  deps: HttpDeps,
  operation: Pick<Operation, 'returns' | 'orReturns' | 'id'>,
  result: unknown,
): Promise<Response> {
  const answer = result instanceof Answer ? result : new Answer(result);
  const [status, shape] = declaredFor(operation, answer);
  const isDocument = answer instanceof Document;
  if (deps.checkAnswers && !isDocument) await assertDeclared(operation.id, shape, answer.body);
  const headers = new Headers(answer.headers);
  if (answer.revision !== undefined) headers.set('etag', etagOf(answer.revision, answer.body));
  const coding = deps.compression && codingOf(c, answer);
  if (deps.compression && answer.isCompressible) headers.append('vary', 'accept-encoding');
  if (isKnown(c, headers, coding)) return new Response(null, { status: 304, headers });
  if (!isDocument && shape === null) return new Response(null, { status, headers });
  headers.set('content-type', isDocument ? answer.mediaType : 'application/json');
  const content = isDocument ? answer.body : JSON.stringify(answer.body);
  const body =
    coding && deps.compression ? await encoded(deps.compression, content, coding, headers) : content;
  return new Response(body, { status, headers });
}

/**
 * True if the caller already has the response. A compressed response has a weak tag, because its bytes differ (RFC
 * 9110, 8.8.1).
 */
function isKnown(c: Served, headers: Headers, coding: Coding | undefined): boolean {
  const etag = headers.get('etag');
  if (etag === null) return false;
  if (coding) headers.set('etag', `W/${etag}`);
  return safe.includes(c.req.method) && isUnchanged({ ifNoneMatch: c.req.header('if-none-match') }, etag);
}

function declaredFor(
  { returns, orReturns }: Pick<Operation, 'returns' | 'orReturns'>,
  { status }: Answer,
): readonly [status: number, shape: Shape | null] {
  return status !== undefined && orReturns ? orReturns : returns;
}

/** Fails a test if the response does not match its declaration. */
async function assertDeclared(id: string, shape: Shape | null, body: unknown): Promise<void> {
  const checked = await shape?.safeParseAsync(
    body === undefined ? undefined : JSON.parse(JSON.stringify(body)),
  );
  if (checked?.error) throw new Error(`${id} answers what it does not declare: ${checked.error.message}`);
}
