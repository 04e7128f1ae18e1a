import type { z } from 'zod';
import type { RequestCtx } from '../../shared/http/context.ts';
import { Answer } from '../../shared/http/serve/answer.ts';
import { oidcBase } from '../../shared/identity/domains/oidc/addresses.ts';
import { AppError, invalid } from '../../shared/kernel/errors.ts';
import { newId } from '../../shared/kernel/ids.ts';
import type { FederationDeps } from './deps.ts';
import type { ProgramQuery } from './program-query.ts';

type Ctx = RequestCtx<FederationDeps>;

type Common = {
  id: string;
  domainId: string;
  /** The name that the program has sent. */
  program: string;
  portal: 'admin' | 'user' | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  expiresAt: number;
};

/** A program that asks for a session and listens on the computer of the browser (RFC 8252, 7.3). */
export type LoopbackRequest = Common & {
  kind: 'loopback';
  redirectUri: string;
  codeChallenge: string;
  state: string | undefined;
};

/** A device that asks for a session. `ip` is its address. */
export type DeviceRequest = Common & { kind: 'device'; ip: string; userCode: string };

/** The browser keeps a request until the person decides, so that no other browser can decide about it. */
export type ProgramRequest = LoopbackRequest | DeviceRequest;

export const requestLifeS = 600;
/** Requests that one browser can have open. Each has a cookie, and browsers send all of them. */
const mostRequests = 3;
const prefix = '__Host-program-';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

const nameOf = (id: string): string => `${prefix}${id}`;
const placeOf = (name: string) => ({ table: prefix, row: name, column: 'request' });

/** The value of `Set-Cookie` that removes a request. */
export const withoutRequest = (id: string): string => removal(nameOf(id));

const removal = (name: string): string => `${name}=; ${attributes}; Max-Age=0`;

/** The values of `Set-Cookie` for a new request. Surplus requests of the browser are removed. */
export async function requestCookies(ctx: Ctx, request: ProgramRequest): Promise<string[]> {
  const name = nameOf(request.id);
  const sealed = await ctx.deps.attemptSealer.seal(JSON.stringify(request), placeOf(name));
  const open = [...ctx.client.cookies().keys()].filter((key) => key.startsWith(prefix) && key !== name);
  const surplus = open.slice(0, Math.max(0, open.length + 1 - mostRequests));
  return [`${name}=${sealed}; ${attributes}; Max-Age=${requestLifeS}`, ...surplus.map(removal)];
}

/**
 * The request of this browser with an identifier.
 * @throws AppError `login_expired` if it is of another browser, altered or expired
 */
export async function requestOf(ctx: Ctx, id: string): Promise<ProgramRequest> {
  const name = nameOf(id);
  const sealed = ctx.client.cookies().get(name) ?? '';
  const text = await ctx.deps.attemptSealer.open(sealed, placeOf(name)).catch(() => undefined);
  const request: ProgramRequest | undefined = text === undefined ? undefined : JSON.parse(text);
  if (!request || request.expiresAt <= ctx.now.getTime()) throw expiredRequest();
  return request;
}

export const expiredRequest = (): AppError =>
  new AppError('login_expired', 'The request of the program was not started in this browser, or has expired');

/** The path at which a sign-in starts that leads to the consent. */
export function signInPath(
  { id, domainId, portal }: ProgramRequest,
  hints: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ next: `/consent/${id}`, ...(portal && { portal }), ...hints });
  return `${oidcBase}/${domainId}/start?${query}`;
}

type StartQuery = z.output<typeof ProgramQuery>;

/**
 * Starts a sign-in for a program that listens on the computer of the browser.
 * @throws AppError `invalid_request` without a code challenge of S256
 */
export async function startProgram(
  ctx: Ctx,
  domainId: string,
  redirectUri: string,
  query: StartQuery & { language?: string | undefined; login_hint?: string | undefined },
): Promise<Answer> {
  const { language, login_hint } = query;
  const request: LoopbackRequest = {
    kind: 'loopback',
    id: newId(),
    domainId,
    program: query.client_name ?? query.client_id ?? '',
    portal: query.portal,
    startedAt: ctx.now.getTime(),
    expiresAt: ctx.now.getTime() + requestLifeS * 1_000,
    redirectUri,
    codeChallenge: challengeIn(query),
    state: query.state,
  };
  const location = signInPath(request, { ...(language && { language }), ...(login_hint && { login_hint }) });
  const cookies = await requestCookies(ctx, request);
  return new Answer(undefined, { status: 302, headers: { location }, cookies });
}

/** RFC 7636, 4.3: without a method, the challenge is a plain one. */
function challengeIn({ code_challenge, code_challenge_method }: StartQuery): string {
  if (code_challenge !== undefined && code_challenge_method === 'S256') return code_challenge;
  const name = code_challenge === undefined ? 'code_challenge' : 'code_challenge_method';
  throw invalid({
    pointer: `?${name}`,
    code: 'required',
    detail: 'A code challenge with the method S256 is required',
  });
}
