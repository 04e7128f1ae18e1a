import { findOverrides } from '../../../db/repositories/settings/system-parameters.ts';
import { isBrowserToken, isServiceToken } from '../../access/service-tokens.ts';
import { type FoundPrincipal, findPrincipal } from '../../access/session.ts';
import type { BaseDeps } from '../../context/context.ts';
import { type Anonymous, anonymous } from '../../context/principal.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError, problemProperties } from '../../kernel/errors.ts';
import type { Operation } from '../declare/operation.ts';
import type { Invocation } from '../invocation.ts';
import { type RateLimits, rateLimitsOf } from './rate-limits.ts';

type Asking = Invocation & {
  /** Of the header, or of the cookie where the operation is for browser sessions. */
  token: string | undefined;
  isByCookie: boolean;
  now: Date;
};

/** The principal of a request before any machine has proved itself, with the system parameters if it was looked up. */
export type Caller = FoundPrincipal | { principal: Anonymous; parameters?: undefined };

type Asked = Pick<Operation, 'access' | 'rateLimit' | 'browser'>;

/**
 * Who asks, after the rate limits. A token that was valid before counts by itself: nobody who shares its address can
 * have it refused. Any other request counts to its address, until its token proves valid.
 * @throws AppError `rate_limited`, `invalid_token`
 */
export async function identify(deps: BaseDeps, operation: Asked, asking: Asking): Promise<Caller> {
  const rates = rateLimitsOf(deps);
  const token = tokenOf(operation, asking);
  if (token === '') {
    if (operation.rateLimit === undefined) takeFromAddress(deps, rates, asking);
    return { principal: anonymous };
  }
  const tokenHash = sha256(token);
  if (asking.isByCookie !== isBrowserToken(token)) {
    takeFromAddress(deps, rates, asking);
    throw new AppError('invalid_token');
  }
  const find = rates.knows(tokenHash) ? findKnown : findUnknown;
  try {
    return await find(deps, rates, { ...asking, token, tokenHash });
  } catch (error) {
    // Who is refused brings no parameters along, and must still learn of a wider limit.
    refreshParameters(deps, rates, asking);
    if (operation.access === 'public' && error instanceof AppError && error.code === 'invalid_token')
      return { principal: anonymous };
    throw error;
  }
}

/** Who needs no session is anonymous whatever his header says; his cookie may tell a page who he is. */
const tokenOf = ({ access, browser }: Asked, { token = '' }: Asking): string =>
  access === 'public' && (browser === undefined || !isBrowserToken(token)) ? '' : token;

/**
 * The answer of an operation. Where only failures are limited, each refusal counts to the address of the client.
 * @throws AppError `rate_limited` in the place of a refusal when the address has nothing left
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

/** A token that is valid may be limited by itself, or be one of a machine that is not listed yet. */
const isGuess = ({ code }: AppError): boolean =>
  problemProperties(code).status < 500 && code !== 'rate_limited' && code !== 'not_found';

type WithToken = Asking & { token: string; tokenHash: string };

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
  // The token of a service is looked up even when its address has nothing left: only failures count there.
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

type Counted = Invocation & { now: Date };

function takeFromAddress(deps: BaseDeps, rates: RateLimits, asking: Counted): void {
  refreshParameters(deps, rates, asking);
  rates.takeFromAddress(asking.client.ip, asking.now);
}

/** Nobody waits for it: the request at hand is judged by what is known. */
function refreshParameters({ db }: BaseDeps, rates: RateLimits, { now, background }: Counted): void {
  const work = rates.refresh(now, () => findOverrides(db));
  if (work) background(work);
}
