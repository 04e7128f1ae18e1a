import { neon, neonConfig } from '@neondatabase/serverless';
import { Hono } from 'hono';
import type { Statement } from '../cases/statements.ts';

type Bindings = { PAGES: string; SQL_ENDPOINT: string };

/** The floor of reads on the edge: the same framework and driver with one round trip per statement. */
const app = new Hono<{ Bindings: Bindings }>();
let pages: Statement[][] | undefined;

app.get('/:page', async (c) => {
  neonConfig.fetchEndpoint = c.env.SQL_ENDPOINT;
  pages ??= JSON.parse(c.env.PAGES) as Statement[][];
  const query = neon('postgres://worker:none@localhost/portal');
  let rows: unknown[] = [];
  for (const { text, values } of pages[Number(c.req.param('page'))] ?? [])
    rows = await query.query(text, values);
  return c.json(rows);
});

export default { fetch: app.fetch };
