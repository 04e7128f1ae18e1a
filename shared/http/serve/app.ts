import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { asAppError } from '../../../db/errors.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { Principal } from '../../context/principal.ts';
import { traceOf } from '../../context/trace.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Telemetry } from '../../kernel/observability/telemetry.ts';
import { withoutTrailingSlashes } from '../../kernel/text.ts';
import type { Language } from '../../messages/languages.ts';
import { type ModuleName, modules } from '../../modules.ts';
import { countingFailures } from '../caller/caller.ts';
import { rateLimitsOf } from '../caller/rate-limits.ts';
import type { HttpDeps } from '../context.ts';
import type { Operation } from '../declare/operation.ts';
import type { Invocation } from '../invocation.ts';
import { asPage, isForReader, type MessageView, startResponse } from '../pages/message-page.ts';
import { orSignIn, withSlash } from '../pages/own-pages.ts';
import { messageBranding } from '../pages/read-branding.ts';
import { assertTranslated, problemOf, problemResponse } from '../problem.ts';
import { headersOfAll } from './answer.ts';
import { languageFor } from './language.ts';
import { auditRefusal } from './refusals.ts';
import type { RequestEnv, Served } from './request-context.ts';
import { serveOperation } from './serve.ts';

/** Renders a rejected request. The path selects the form in a module with several. */
export type Refuse = (
  error: AppError,
  requestId: string,
  headers: Record<string, string>,
  language: Language,
  path: string,
) => Response;

export type ModuleApp = {
  name: ModuleName;
  operations: readonly Operation<never>[];
  fetch: (request: Request, invocation: Invocation) => Promise<Response>;
};

/**
 * Creates a module as a Hono app. It serves its operations if the portal type includes the module; all other requests
 * receive problem documents, unless the module has an error form of its own.
 */
export function createModule<D extends BaseDeps>(
  name: ModuleName,
  deps: D & HttpDeps,
  operations: readonly Operation<D>[],
  refuse: Refuse = problemResponse,
): ModuleApp {
  const app = new Hono<RequestEnv>({ router: new TrieRouter(), getPath: routingPath });
  const served = modules.some((module) => module.name === name && module.portals.includes(deps.portalType));
  app.use(async function request(c, next) {
    const started = performance.now();
    c.set('trace', traceOf(c.req.raw.headers));
    await next();
    for (const [header, value] of Object.entries(headersOfAll(c.get('trace').requestId))) {
      if (!c.res.headers.has(header)) c.res.headers.set(header, value);
    }
    logRequest(deps.log, c, started);
    countRequest(deps.telemetry, name, c, started);
  });
  for (const [path, verbs] of served ? byPath(operations) : []) register(app, deps, path, verbs);
  const answerRefusal = async (c: Served, error: AppError): Promise<Response> => {
    const [id, language] = [c.get('trace').requestId, languageOfRequest(deps, c)];
    const response = refuse(error, id, allowOf(error), language, c.req.path);
    const isPage = c.get('operation') === undefined || c.get('isPage') === true;
    const method = c.get('takesForm') ? 'GET' : c.req.method;
    if (!isPage || !isForReader(method, c.req.header('accept') ?? null)) return response;
    return asPage(response, problemOf(error, id, { language }), await viewOf(deps, c));
  };
  app.notFound((c) => (isStart(c) ? startResponse() : answerRefusal(c, new AppError('not_found'))));
  app.onError(async (error, c) => {
    const problem = asAppError(error);
    if (problem.code === 'internal')
      deps.log.error('internal', { request_id: c.get('trace').requestId, error });
    await auditRefusal(c.get('ctx'), problem, c.req.param());
    if (deps.checkAnswers) assertTranslated(problem);
    return answerRefusal(c, problem);
  });
  return { name, operations, fetch: async (request, invocation) => app.fetch(request, invocation) };
}

/** A browser opens the address of the portal. */
const isStart = (c: Served): boolean =>
  new URL(c.req.url).pathname === '/' && isForReader(c.req.method, c.req.header('accept') ?? null);

/** Returns the language of the caller, or that of the request if it was rejected before the caller was identified. */
const languageOfRequest = (deps: BaseDeps, c: Served): Language =>
  c.get('ctx')?.language ??
  languageFor({
    accepted: c.req.header('accept-language') ?? '',
    fallback: rateLimitsOf(deps).parameters()['ui.default_language'],
  });

const viewOf = async (deps: BaseDeps, c: Served): Promise<MessageView> => ({
  language: languageOfRequest(deps, c),
  branding: await messageBranding(deps),
  requestId: c.get('trace').requestId,
  startsAt: c.get('startsAt'),
});

/** Ignores a trailing slash. The path stays percent-encoded for the router. */
const routingPath = (request: Request): string => withoutTrailingSlashes(new URL(request.url).pathname);

type Verbs<D extends BaseDeps> = Map<string, Operation<D>>;

/**
 * Returns the paths with their operations. Literal segments precede parameters, so that `rbac/permissions` does not
 * match as a role.
 */
function byPath<D extends BaseDeps>(operations: readonly Operation<D>[]): [string, Verbs<D>][] {
  const paths = new Map<string, Verbs<D>>();
  for (const operation of operations) {
    const path = operation.path.replace(/(.)\/$/, '$1').replace(/\{(\w+)\}/g, ':$1');
    const verbs = paths.get(path) ?? new Map<string, Operation<D>>();
    if (verbs.has(operation.method)) throw new Error(`${operation.method} ${path} is declared twice`);
    paths.set(path, verbs.set(operation.method, operation));
  }
  return [...paths].sort(([a], [b]) => compareLiteralFirst(a.split('/'), b.split('/')));
}

/** A shorter path counts as one that ends with literal segments, so that the order is the same for all pairs. */
function compareLiteralFirst(a: string[], b: string[]): number {
  const isParameter = (segment = ''): number => Number(segment.startsWith(':'));
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = isParameter(a[at]) - isParameter(b[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function register<D extends BaseDeps>(
  app: Hono<RequestEnv>,
  deps: D & HttpDeps,
  path: string,
  verbs: Verbs<D>,
): void {
  const allow = [...verbs.keys(), ...(verbs.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.all(path, async function route(c: Served) {
    // Hono runs GET for HEAD and discards the body. The method of the request is still HEAD.
    const operation = verbs.get(c.req.method === 'HEAD' ? 'GET' : c.req.method);
    if (operation) {
      c.set('operation', operation.id);
      c.set('isPage', operation.browser !== undefined);
      c.set('takesForm', operation.form !== undefined);
      c.set('startsAt', operation.startsAt);
      const redirect = operation.browser && withSlash(c.req.raw, operation.path);
      if (redirect) return redirect;
      const answer = countingFailures(deps, operation, c.env, serveOperation(c, deps, operation));
      return operation.browser ? orSignIn(c.req.raw, answer, () => viewOf(deps, c)) : answer;
    }
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    throw new AppError('method_not_allowed', undefined, { allow });
  });
}

const allowOf = ({ members }: AppError): Record<string, string> =>
  typeof members.allow === 'string' ? { allow: members.allow } : {};

/** Logs one line per request. The path is logged as a template, so that tokens in paths never reach a log. */
function logRequest(log: Log, c: Served, started: number): void {
  const ctx = c.get('ctx');
  log.info('request', {
    request_id: c.get('trace').requestId,
    trace_id: c.get('trace').traceparent.split('-')[1],
    method: c.req.method,
    operation: ctx?.operation.id,
    route: ctx?.operation.path,
    status: c.res.status,
    took_ms: Math.round((performance.now() - started) * 10) / 10,
    client_ip: c.env.client.ip,
    ...(ctx && principalFields(ctx.principal)),
  });
}

/** The log fields of the caller. `user_id` is set for principals that act for a user account. */
function principalFields(principal: Principal): Record<string, string | undefined> {
  const by = principal.kind;
  switch (principal.kind) {
    case 'user':
      return { by, user_id: principal.user.id };
    case 'service_token':
      return { by, user_id: principal.user.id, by_id: principal.token.id };
    case 'peer':
      return { by, by_id: principal.peer.id };
    case 'agent':
    case 'gateway':
      return { by, by_id: principal.id };
    case 'portal':
      return { by, by_id: principal.peer?.id };
    case 'job':
    case 'operator':
    case 'anonymous':
      return { by };
  }
}

/**
 * Counts the request. Labels come from closed lists; a request without an operation has the label `none`. Counts that
 * are due are flushed after the response.
 */
function countRequest(telemetry: Telemetry, module: ModuleName, c: Served, started: number): void {
  const operation = c.get('operation') ?? 'none';
  telemetry.count('http_requests', [module, operation, String(c.res.status)]);
  telemetry.time('http_duration', [module, operation], (performance.now() - started) / 1000);
  if (!telemetry.isDue()) return;
  const ctx = c.get('ctx');
  if (ctx) ctx.later(() => telemetry.flush());
  else c.env.background(telemetry.flush());
}
