import { Hono } from 'hono';

/** The floor of a Worker's start: the same framework and bundling, with a single route. */
const app = new Hono();
app.all('*', (c) => c.json({ code: 'unauthenticated' }, 401));

export default { fetch: app.fetch };
