import { type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless';
import type { Hono } from 'hono';
import { readRoutes } from './reads.ts';

type Bindings = { SQL_ENDPOINT: string };

let app: Hono | undefined;
let query: NeonQueryFunction<false, false> | undefined;

/** The floor of reads in a Worker: the same routes, with one request of Neon's HTTP driver for each statement. */
export default {
  fetch(request: Request, env: Bindings): Response | Promise<Response> {
    neonConfig.fetchEndpoint = env.SQL_ENDPOINT;
    query ??= neon('postgres://worker:none@localhost/portal');
    const send = query;
    // Statements have no names there, because each may reach another session.
    app ??= readRoutes(({ text }, values) => send.query(text, values));
    return app.fetch(request);
  },
};
