import { type Context, Hono } from 'hono';
import { asAppError, headersOfAll, problemResponse } from '../../shared/http/problem.ts';
import { traceOf } from '../../shared/http/request-ids.ts';
import { AppError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/log.ts';
import { withoutTrailingSlashes } from '../../shared/kernel/text.ts';
import { demandKey } from './access-key.ts';
import { checkHealth } from './check/routes.ts';
import type { HealthDeps } from './deps.ts';
import { tellMetrics } from './metrics/routes.ts';

type Env = { Variables: { requestId: string } };
type Answer = () => Promise<Response>;

/** The health port: two paths with a key each, and problem documents everywhere else. */
export function createHealthApp(deps: HealthDeps): Hono<Env> {
  const app = new Hono<Env>({ getPath: routingPath });
  app.use(async function request(c, next) {
    const startedAt = performance.now();
    c.set('requestId', traceOf(c.req.raw.headers).requestId);
    await next();
    for (const [name, value] of Object.entries(headersOfAll(c.get('requestId'))))
      c.res.headers.set(name, value);
    logRequest(deps.log, c, startedAt);
  });
  register(app, '/aggregator/health/check', deps.accessKeys.check, checkHealth(deps));
  register(app, '/aggregator/health/metrics', deps.accessKeys.metrics, tellMetrics(deps));
  app.notFound((c) => problemResponse(new AppError('not_found'), c.get('requestId')));
  app.onError((error, c) => {
    const problem = asAppError(error);
    const requestId = c.get('requestId');
    if (problem.code === 'internal') deps.log.error('internal', { request_id: requestId, error });
    return problemResponse(problem, requestId, problem.code === 'method_not_allowed' ? { allow } : {});
  });
  return app;
}

const allow = 'GET, HEAD, OPTIONS';

/** A trailing slash means nothing. */
const routingPath = (request: Request): string => withoutTrailingSlashes(new URL(request.url).pathname);

function register(app: Hono<Env>, path: string, key: string | undefined, answer: Answer): void {
  // Hono answers HEAD by the route of GET, without its body.
  app.get(path, (c) => {
    demandKey(c.req.raw.headers.get('authorization'), key);
    return answer();
  });
  app.options(path, () => new Response(null, { status: 204, headers: { allow } }));
  app.all(path, () => {
    throw new AppError('method_not_allowed');
  });
}

/** Scrapers come every few seconds, so what goes well is for the debug level. */
function logRequest(log: Log, c: Context<Env>, startedAt: number): void {
  const write = c.res.status < 400 ? log.debug : log.info;
  write('request', {
    request_id: c.get('requestId'),
    method: c.req.method,
    path: c.req.path.slice(0, 256),
    status: c.res.status,
    took_ms: Math.round((performance.now() - startedAt) * 10) / 10,
  });
}
