import { Hono } from 'hono';
import pg from 'pg';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import type { Statement } from '../cases/statements.ts';
import { tellReady } from '../child-process.ts';
import { sameForBoth } from '../settings.ts';

export type StatementsSettings = { databaseUrl: string; pages: Statement[][] };

/**
 * The floor of the lists: a bare route that sends exactly the statements of the portal for a page to the database,
 * sequentially (including the session lookup), and returns the rows of the last.
 */
const { databaseUrl, pages }: StatementsSettings = JSON.parse(process.argv[2] ?? '{}');
const { host, trustProxy } = sameForBoth;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const app = new Hono();

app.get('/:page', async (c) => {
  let rows: unknown[] = [];
  for (const { text, values } of pages[Number(c.req.param('page'))] ?? []) {
    rows = (await pool.query(text, values)).rows;
  }
  return c.json(rows);
});

const { port } = await serveNode({
  fetch: (request) => app.fetch(request),
  host,
  port: 0,
  trustProxy,
  log: { error: console.error },
});
tellReady({ url: `http://${host}:${port}` });
