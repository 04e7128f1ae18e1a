import { randomUUID } from 'node:crypto';
import { type Context, Hono, type Next } from 'hono';
import { z } from 'zod';
import { adminCalls } from './calls/admin.ts';
import { clientCalls } from './calls/client.ts';
import { personKey } from './data/state.ts';
import type { Terse } from './faults.ts';
import { readBody } from './input.ts';
import type { Node } from './node.ts';
import { Refusal } from './refusal.ts';

const JwtAuth = z.object({ token: z.string() });

/** Every call that an aggregator makes on a dispatcher node. */
export function createApp(node: Node): Hono {
  const app = new Hono();
  app.post('/api/auth/v7.0/jwtauth', async (c) => {
    const { token } = await readBody(c, JwtAuth);
    return c.json(await node.authentication.exchange(token));
  });
  app.post('/api/auth/v7.0/logout', (c) => {
    const holder = node.authentication.logOut(c.req.header('x-auth-token'));
    node.loggedOut.push(holder.kind === 'user' ? personKey(holder.caller) : 'aggregator');
    return c.json({ result: 'ok' });
  });
  app.get('/api/auth/v7.0/authenticators', (c) => c.json(node.state.domains.map(domainView)));
  app.get('/api/health/check', (c) => checkHealth(c, node));
  app.use('/api/webui/*', (c, next) => answerTersely(c, next, node.knobs.terse));
  app.route('/api/webui', adminCalls(node));
  app.route('/api/client/v7.0', clientCalls(node));
  app.notFound((c) => c.json({ code: 'not_found', detail: 'There is no such call' }, 404));
  app.onError((error, c) => {
    if (error instanceof Refusal) return c.json(error.body, error.status);
    return c.json({ code: 'internal', detail: String(error) }, 500);
  });
  return app;
}

/** Dispatchers have in common that 2xx means success, but not the body. */
async function answerTersely(c: Context, next: Next, terse: Terse | null): Promise<void> {
  await next();
  if (terse === null || c.req.method === 'GET' || !c.res.ok) return;
  if (terse === 'no_content') c.res = new Response(null, { status: 204 });
  if (terse === 'empty_object') c.res = Response.json({}, { status: 202 });
  if (terse === 'text') c.res = new Response('done', { status: 200 });
  if (terse === 'other_row')
    c.res = Response.json({
      uuid: randomUUID(),
      session_uuid: randomUUID(),
      name: 'another',
      tags: ['foreign'],
    });
  if (terse === 'bad_members')
    c.res = Response.json({ ...(await c.res.json()), name: 7, state: null, tags: 'none', maintenance: 'no' });
}

const domainView = (domain: Node['state']['domains'][number], index: number) => ({
  ...domain,
  type: 'ldap',
  priority: index + 1,
  isCustom: false,
});

function checkHealth(c: Context, { name, healthKey, knobs }: Node): Response {
  if (c.req.header('authorization') !== `Token ${healthKey}`) {
    throw new Refusal(401, 'invalid_token', 'The health key is not right');
  }
  const status = knobs.health;
  const component = (componentId: string) => ({ componentId, componentType: 'component', status });
  const database = {
    componentId: 'postgresql',
    componentType: 'datastore',
    observedValue: 0.001,
    observedUnit: 's',
  };
  const checks = {
    'celery:connectionTest': [component('celery')],
    'database:responseTime': [{ ...database, status }],
    'messages_broker:connectionTest': [component('rabbitmq')],
    'fluentd:connectionTest': [],
  };
  return c.json({ version: '1', description: name, status, checks }, status === 'pass' ? 200 : 503);
}
