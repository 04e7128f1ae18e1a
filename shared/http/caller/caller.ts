import { type Flight, openFlight } from '../../../db/flight.ts';
import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { isBrowserToken, isServiceToken } from '../../access/service-tokens.ts';
import { type FoundPrincipal, findPrincipal } from '../../access/session.ts';
import type { BaseDeps } from '../../context/context.ts';
import { type Anonymous, anonymous } from '../../context/principal.ts';
import { perProcess } from '../../context/process-memory.ts';
import { RecentMap } from '../../kernel/concurrency/recent-map.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError, problemProperties } from '../../kernel/errors.ts';
import type { Operation } from '../declare/operation.ts';
import type { Invocation } from '../invocation.ts';
import type { FindSource } from './consistency.ts';
import { type RateLimits, rateLimitsOf } from './rate-limits.ts';

type TokenRequest = Invocation & {
  /** The token from the header, or from the cookie if the operation is for browser sessions. */
  token: string | undefined;
  isByCookie: boolean;
  now: Date;
};

/**
 * The principal of a request before the authentication of machines, with the system parameters if a lookup has read
 * them.
 */
export type Caller = FoundPrincipal | { principal: Anonymous; parameters?: undefined };

type AccessRules = Pick<Operation, 'access' | 'rateLimit' | 'browser'>;

/**
 * Applies the rate limits and identifies the caller. A token that was valid before has its own limit, so other clients
 * with the same address cannot cause its rejection. Any other request counts towards the limit of its address, until
 * its token proves valid.
 * @throws AppError `rate_limited`, `invalid_token`
 */
export async function identify(
  deps: BaseDeps,
  operation: AccessRules,
  request: TokenRequest,
): Promise<Caller> {
  const rates = rateLimitsOf(deps);
  const token = tokenOf(operation, request);
  if (token === '') {
    if (operation.rateLimit === undefined) takeFromAddress(deps, rates, request);
    return { principal: anonymous };
  }
  const tokenHash = sha256(token);
  if (request.isByCookie !== isBrowserToken(token)) {
    takeFromAddress(deps, rates, request);
    throw new AppError('invalid_token');
  }
  const find = rates.isKnown(tokenHash) ? findKnown : findUnknown;
  try {
    const found = await find(deps, rates, { ...request, token, tokenHash });
    callersOf(deps).set(tokenHash, found);
    return found;
  } catch (error) {
    callersOf(deps).delete(tokenHash);
    // A rejected request reads no parameters, so they are refreshed here. Otherwise an increased limit would not take
    // effect.
    refreshParameters(deps, rates, request);
    if (operation.access === 'public' && error instanceof AppError && error.code === 'invalid_token')
      return { principal: anonymous };
    throw error;
  }
}

/**
 * The callers of the last requests, by the digest of their tokens: what the next lookup will probably find. Nothing is
 * decided by them.
 */
const callersOf = perProcess(() => new RecentMap<string, FoundPrincipal>(mostCallers));
const mostCallers = 2_000;

/** A request that is served while its caller is looked up. */
export type ExpectedCaller = {
  /** The caller of the last request with the token. */
  caller: FoundPrincipal;
  /** Sends the first reads of the request with the lookup. */
  flight: Flight;
  /**
   * The caller that was found, after the approval of the flight: the same object if it is as expected.
   * @throws AppError as `identify`
   */
  found: Promise<Caller>;
};

type ReadRules = AccessRules & Pick<Operation<never>, 'method' | 'credential' | 'body' | 'effects'>;

/**
 * A deletion reads its object first, and its writes wait for the approval. Without a body it can be served again. The
 * position of a write for replicas is noted by another handle.
 */
const isPlainDeletion = ({ replica }: BaseDeps, { method, body, effects }: ReadRules): boolean =>
  method === 'DELETE' && body === undefined && effects === undefined && replica === undefined;

/**
 * Starts the lookup of the caller of a read or of a deletion, and returns who is expected. The response of the request
 * must be discarded if another caller is found.
 * @param findSource finds where the reads are sent; default: the primary
 * @returns undefined if the caller must be found before the request is served
 */
export function expectCaller(
  deps: BaseDeps,
  operation: ReadRules,
  request: TokenRequest,
  findSource?: FindSource,
): ExpectedCaller | undefined {
  const { token, isByCookie } = request;
  const beginsWithReads = operation.method === 'GET' || isPlainDeletion(deps, operation);
  const isSimple = beginsWithReads && operation.access !== 'public' && !operation.credential;
  if (!isSimple || isByCookie || token === undefined) return undefined;
  const tokenHash = sha256(token);
  const caller = callersOf(deps).get(tokenHash);
  const flight = caller && openFlight(deps.db, findSource?.(caller.principal, tokenHash));
  if (!flight) return undefined;
  const found = identify({ ...deps, db: flight.lookup }, operation, request).then(
    (actual) => {
      const isExpected = isSame(actual, caller);
      flight.decide(isExpected);
      return isExpected ? caller : actual;
    },
    (error: unknown) => {
      flight.decide(false);
      throw error;
    },
  );
  // The request may be rejected before the lookup is awaited.
  found.catch(() => undefined);
  return { caller, flight, found };
}

/** Everything that a response can depend on is compared. The order of the members is that of the lookup. */
const isSame = ({ principal, parameters }: Caller, expected: FoundPrincipal): boolean =>
  (parameters === expected.parameters ||
    JSON.stringify(parameters) === JSON.stringify(expected.parameters)) &&
  JSON.stringify(principal) === JSON.stringify(expected.principal);

/** A caller of a public operation is anonymous regardless of the header. On pages, the cookie can identify the user. */
const tokenOf = ({ access, browser }: AccessRules, { token = '' }: TokenRequest): string =>
  access === 'public' && (browser === undefined || !isBrowserToken(token)) ? '' : token;

/**
 * Returns the response of an operation. If only failures are limited, each rejection counts towards the limit of the
 * client's address.
 * @throws AppError `rate_limited` instead of the rejection if the limit of the address is exhausted
 */
export async function countingFailures(
  deps: BaseDeps,
  { rateLimit }: Pick<Operation<never>, 'rateLimit'>,
  invocation: Invocation,
  answer: Promise<Response>,
): Promise<Response> {
  if (rateLimit !== 'failures') return answer;
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && isGuess(error))
      takeFromAddress(deps, rateLimitsOf(deps), { ...invocation, now: deps.clock() });
    throw error;
  }
}

/**
 * Excludes `rate_limited` and `not_found`: the token can be valid but limited, or belong to a machine that is not yet
 * listed.
 */
const isGuess = ({ code }: AppError): boolean =>
  problemProperties(code).status < 500 && code !== 'rate_limited' && code !== 'not_found';

type WithToken = TokenRequest & { token: string; tokenHash: string };

async function findKnown(
  { db, portalType }: BaseDeps,
  rates: RateLimits,
  { token, tokenHash, now }: WithToken,
): Promise<FoundPrincipal> {
  rates.takeFromSession(tokenHash, now);
  const found = await findPrincipal(db, token, now, portalType);
  if (found) rates.learn(found.parameters, now);
  else rates.forget(tokenHash);
  return assertFound(found);
}

async function findUnknown(
  { db, portalType }: BaseDeps,
  rates: RateLimits,
  { token, tokenHash, now, client }: WithToken,
): Promise<FoundPrincipal> {
  // A service token is looked up even if the limit of its address is exhausted, because only failures count.
  const countsFailures = isServiceToken(token);
  if (!countsFailures) rates.takeFromAddress(client.ip, now);
  const found = await findPrincipal(db, token, now, portalType);
  if (!found && countsFailures) rates.takeFromAddress(client.ip, now);
  const known = assertFound(found);
  if (!countsFailures) rates.giveBackToAddress(client.ip);
  rates.proveValid(tokenHash, known.parameters, now);
  return known;
}

function assertFound(found: FoundPrincipal | undefined): FoundPrincipal {
  if (!found) throw new AppError('invalid_token');
  return found;
}

type TimedInvocation = Invocation & { now: Date };

function takeFromAddress(deps: BaseDeps, rates: RateLimits, request: TimedInvocation): void {
  refreshParameters(deps, rates, request);
  rates.takeFromAddress(request.client.ip, request.now);
}

/** Refreshes the parameters in the background. The current request uses the cached ones. */
function refreshParameters({ db }: BaseDeps, rates: RateLimits, { now, background }: TimedInvocation): void {
  const work = rates.refresh(now, () => findOverrides(db));
  if (work) background(work);
}
