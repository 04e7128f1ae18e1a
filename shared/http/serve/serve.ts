import type { Scope } from '../../../db/repositories/records/scope.ts';
import { admit } from '../../access/guard.ts';
import type { FoundPrincipal } from '../../access/session.ts';
import { isUseStale, noteUse } from '../../access/session.ts';
import type { BaseDeps } from '../../context/context.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import { type Caller, type ExpectedCaller, expectCaller, identify } from '../caller/caller.ts';
import { consistencyHeader, noteWrite, replicaFor } from '../caller/consistency.ts';
import type { HttpDeps, RequestCtx } from '../context.ts';
import { isWrite, type Operation, type RawInput } from '../declare/operation.ts';
import { assertBrowser, cookieTokenOf } from '../pages/own-pages.ts';
import { runInRequestedMode } from '../writes/modes.ts';
import { isStream } from './answer.ts';
import { readInput } from './read-input.ts';
import { bearerOf, contextOf, type Served, type Serving } from './request-context.ts';
import { respond, safeMethods } from './respond.ts';
import { untilAccessEnds } from './user-streams.ts';

/**
 * Returns the presented token: that of the cookie if the operation is for browser sessions, the bearer token for SCIM, and
 * otherwise that of the header.
 */
function presentedToken(
  { browser, protocol }: Pick<Operation, 'browser' | 'protocol'>,
  request: Request,
  baseUrl: string,
) {
  if (protocol === 'scim')
    return { token: bearerOf(request.headers.get('authorization')), isByCookie: false };
  const token = request.headers.get('x-auth-token') ?? undefined;
  const isByCookie = browser !== undefined && !(browser === 'administrator or token' && token);
  return { token: isByCookie ? cookieTokenOf(request, baseUrl) : token, isByCookie };
}

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
  const request = { ...c.env, ...credentials, now };
  const serving: Serving<D> = { c, deps, operation, token: credentials.token, now };
  const keyCheck = deps.verifyKeys?.();
  const findSource = await replicaFor(deps, { operation, token: c.req.header(consistencyHeader), now });
  const expected = keyCheck ? undefined : expectCaller(deps, operation, request, findSource);
  if (expected) return serveExpected(serving, expected);
  const identified = identify(deps, operation, request);
  const { caller, unchecked } = await besideKeyCheck(keyCheck, identified);
  return serveCaller(serving, caller, unchecked);
}

/** Serves a request for the expected caller while the caller is looked up, and again if another one is found. */
async function serveExpected<D extends BaseDeps>(
  serving: Serving<D>,
  { caller, flight, found }: ExpectedCaller,
): Promise<Response> {
  const { c, deps } = serving;
  const ctx = contextOf({ ...serving, deps: { ...deps, db: flight.handle } }, caller, flight);
  const response = answer(serving, ctx, caller);
  response.catch(() => undefined).finally(() => flight.depart());
  const actual = await found;
  if (actual !== caller) return serveCaller(serving, actual);
  c.set('ctx', ctx);
  return response;
}

async function serveCaller<D extends BaseDeps>(
  serving: Serving<D>,
  caller: Caller,
  unchecked?: unknown,
): Promise<Response> {
  const { c, operation, token, now } = serving;
  const noted = noteWrite(serving.deps, operation, now);
  const own = noted ? { ...serving, deps: noted.deps } : serving;
  const ctx = contextOf(own, caller);
  // Must run before the guard, so that a rejection is attributed to the principal.
  c.set('ctx', ctx);
  const response = await answer(own, ctx, caller, unchecked);
  await noted?.confirm(response, token && sha256(token));
  return response;
}

async function answer<D extends BaseDeps>(
  { c, deps, operation, token, now }: Serving<D>,
  ctx: RequestCtx<D>,
  caller: Caller,
  unchecked?: unknown,
): Promise<Response> {
  const { principal } = caller;
  if (operation.browser) assertBrowser(operation.browser, principal);
  const sessionlessInput = await readSessionlessInput(c, operation, principal);
  if (!sessionlessInput) ctx.scope = admitted(ctx, operation);
  const isUse = useOf(c.req.raw);
  if (isFound(caller) && isUse(caller) && isUseStale(caller.principal, now))
    ctx.later(() => noteUse(deps.db, caller, now));
  if (operation.credential?.in === 'header') ctx.principal = await operation.credential.prove(ctx);
  const raw = sessionlessInput ?? (await readInput(c, operation));
  // A page can be shown without a database, but writes must not use keys that may be wrong.
  if (unchecked !== undefined && !safeMethods.includes(c.req.method)) throw unchecked;
  const run = async (own: RequestCtx<D>): Promise<Response> => {
    const result = await operation.run(own, raw);
    const isWatched = token !== undefined && isStream(result) && !result.endsWithAccess;
    return respond(c, deps, operation, isWatched ? untilAccessEnds(deps, { token, isUse }, result) : result);
  };
  return isWrite(operation) ? runInRequestedMode(ctx, operation, c.req.raw, raw, run) : run(ctx);
}

/**
 * Returns whether a request counts as use of what authenticates it. A request that the client has marked as not caused by
 * the user does not keep the session alive. The last use of a service token is always noted, because its owner relies on it.
 */
const useOf =
  ({ headers }: Request) =>
  ({ principal }: FoundPrincipal): boolean =>
    headers.get('x-background') !== 'true' || principal.kind === 'service_token';

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
