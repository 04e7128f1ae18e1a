import type { Context } from 'hono';
import { DiscardedError, type Flight } from '../../../db/flight.ts';
import { kindOfToken } from '../../access/service-tokens.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { Trace } from '../../context/trace.ts';
import { createSemaphore } from '../../kernel/concurrency/semaphore.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { Caller } from '../caller/caller.ts';
import { rateLimitsOf } from '../caller/rate-limits.ts';
import type { HttpDeps, RequestCtx } from '../context.ts';
import type { Operation } from '../declare/operation.ts';
import type { Invocation } from '../invocation.ts';
import { cookiesOf, isFromOwnPage } from '../pages/own-pages.ts';
import { languageFor } from './language.ts';
export type RequestEnv = {
  Bindings: Invocation;
  Variables: {
    trace: Trace;
    ctx?: RequestCtx;
    /** Absent if the path has no operation. */
    operation?: string;
    /** The operation is opened with a browser. */
    isPage?: boolean;
    /** A browser can also send a form to the operation. */
    takesForm?: boolean;
    /** See `Declaration`. */
    startsAt?: string | undefined;
  };
};
export type Served = Context<RequestEnv>;

/** A request after the checks that do not depend on its caller. */
export type Serving<D extends BaseDeps> = {
  c: Served;
  deps: D & HttpDeps;
  operation: Operation<D>;
  token: string | undefined;
  now: Date;
};

const clientHeaders = ({ headers }: Request, baseUrl: string) => ({
  userAgent: (headers.get('user-agent') ?? '').slice(0, 512),
  accepted: (headers.get('accept-language') ?? '').slice(0, 512),
  isOwnPage: () => isFromOwnPage(headers, baseUrl),
  cookies: () => cookiesOf(headers),
});

/**
 * Cloudflare Workers allow six concurrent subrequests that wait for response headers; further ones are queued and can
 * exceed their time limit. A database that is reached over HTTP counts as well.
 */
const upstreamAtOnce = 6;

/**
 * Creates the context of a request. Its scope is set after the guard.
 * @param flight the effects of the request wait for its approval
 */
export function contextOf<D extends BaseDeps>(
  { c, deps, operation, token, now }: Serving<D>,
  { principal, parameters }: Caller,
  flight?: Flight,
): RequestCtx<D> {
  const { client } = c.env;
  const trace = c.get('trace');
  const inForce = parameters ?? rateLimitsOf(deps).parameters();
  const { upstream, background, later } = effectsOf(c.env, flight);
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
    bearer: bearerOf(c.req.header('authorization')),
    accepts: (mediaType) => (c.req.header('accept') ?? '').toLowerCase().includes(mediaType),
    log: deps.log,
    now,
    watchedToken: () => (token === undefined ? undefined : { hash: sha256(token), kind: kindOfToken(token) }),
    lastEventId: c.req.header('last-event-id')?.slice(0, 64),
    gone: () => c.req.raw.signal,
    background,
    stopsWithResponse: c.env.stopsWithResponse,
    upstream,
    later,
  };
}

/** The token of `Authorization: Bearer`. */
export const bearerOf = (header: string | null | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

function effectsOf(
  { background }: Invocation,
  flight: Flight | undefined,
): Pick<RequestCtx, 'upstream' | 'background' | 'later'> {
  const upstream = createSemaphore(upstreamAtOnce);
  if (!flight) return { upstream, background, later: (write) => background(upstream(write)) };
  const inBackground = (work: Promise<unknown>): void => background(work.catch(unlessDiscarded));
  return {
    upstream: async (work) => {
      flight.depart();
      await flight.approved;
      return upstream(work);
    },
    background: inBackground,
    later: (write) => inBackground(flight.approved.then(() => upstream(write))),
  };
}

function unlessDiscarded(error: unknown): void {
  for (let link = error; link instanceof Error; link = link.cause) if (link instanceof DiscardedError) return;
  throw error;
}
