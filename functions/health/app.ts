import { type Context, Hono } from 'hono';
import { asAppError } from '../../db/errors.ts';
import { traceOf } from '../../shared/context/trace.ts';
import type { Invocation } from '../../shared/http/invocation.ts';
import { problemOf, refuseWith } from '../../shared/http/problem.ts';
import { headersOfAll } from '../../shared/http/serve/answer.ts';
import { AppError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/observability/log.ts';
import { withoutTrailingSlashes } from '../../shared/kernel/text.ts';
import { requireKey } from './access-key.ts';
import { checkHealth } from './check/routes.ts';
import type { HealthDeps } from './deps.ts';
import { metricsRoute } from './metrics/routes.ts';
import { createUrlKeyGuard } from './url-key.ts';

type Env = {
  Bindings: Invocation;
  Variables: { requestId: string; route?: string; realm?: string };
};
type HealthContext = Context<Env>;
type Endpoint = {
  path: string;
  /** Protection space of the key (RFC 9110, section 11.5). */
  realm?: string;
  /** Runs before every method except OPTIONS; if `hidden` is set, before OPTIONS as well. @throws AppError */
  admit(c: HealthContext): void;
  /** Without the key, the path does not exist. */
  hidden?: true;
  answer(c: HealthContext): Promise<Response>;
};

/** The app of the health port. Every path has its own key; all other paths return problem documents. */
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
  for (const endpoint of endpointsOf(deps)) register(app, endpoint);
  app.notFound((c) => refuse(c, new AppError('not_found')));
  app.onError((error, c) => {
    const problem = asAppError(error);
    if (problem.code === 'internal') deps.log.error('internal', { request_id: c.get('requestId'), error });
    return refuse(c, problem);
  });
  return app;

  function refuse(c: HealthContext, error: AppError): Response {
    const problem = problemOf(error, c.get('requestId'), { pages: deps.baseUrl });
    return refuseWith(problem, 'application/problem+json', error, headersFor(error, c.get('realm')));
  }
}

function endpointsOf(deps: HealthDeps): Endpoint[] {
  const { check, metrics, url } = deps.accessKeys;
  const byHeader = (value: string | undefined, variable: string) => (c: HealthContext) =>
    requireKey(c.req.raw.headers.get('authorization'), { value, variable });
  const { report, summary } = checkHealth(deps);
  const guard = createUrlKeyGuard(url);
  return [
    {
      path: '/aggregator/health/check',
      realm: 'aggregator health check',
      admit: byHeader(check, 'HEALTH_CHECK_ACCESS_KEY'),
      answer: report,
    },
    {
      path: '/aggregator/health/check/:key',
      admit: (c) => guard(c.req.param('key') ?? '', c.env.client.ip, deps.clock()),
      hidden: true,
      answer: (c) => summary(c.req.query('site')),
    },
    {
      path: '/aggregator/health/metrics',
      realm: 'aggregator metrics',
      admit: byHeader(metrics, 'METRICS_ACCESS_KEY'),
      answer: metricsRoute(deps),
    },
  ];
}

const allow = 'GET, HEAD, OPTIONS';

function headersFor({ code }: AppError, realm = ''): Record<string, string> {
  if (code === 'method_not_allowed') return { allow };
  const needsKey = code === 'unauthenticated' || code === 'invalid_token';
  return needsKey ? { 'www-authenticate': `Token realm="${realm}"` } : {};
}

/** Ignores a trailing slash. */
const routingPath = (request: Request): string => withoutTrailingSlashes(new URL(request.url).pathname);

function register(app: Hono<Env>, { path, realm, admit, hidden, answer }: Endpoint): void {
  app.all(path, (c: HealthContext) => {
    c.set('route', path);
    c.set('realm', realm);
    const { method } = c.req;
    if (hidden) admit(c);
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    // Hono drops the body for HEAD.
    if (method !== 'GET' && method !== 'HEAD') throw new AppError('method_not_allowed');
    if (!hidden) admit(c);
    return answer(c);
  });
}

/**
 * Scrapers send a request every few seconds, so successful requests are logged at level debug. Only the route is
 * logged, because the path can contain a key.
 */
function logRequest(log: Log, c: HealthContext, startedAt: number): void {
  const write = c.res.status < 400 ? log.debug : log.info;
  write('request', {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: c.get('route'),
    status: c.res.status,
    took_ms: Math.round((performance.now() - startedAt) * 10) / 10,
  });
}
