import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import { connectPg } from '../../../db/pg.ts';
import { createHealthApp } from '../../../functions/health/app.ts';
import { createSystemSampler } from '../../../functions/health/system-sampler.ts';
import { systemClock } from '../../../shared/kernel/clock.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { monitorWrites } from '../../../shared/runtime/write-monitor.ts';
import { tellReady } from '../child-process.ts';
import { type Settings, sameForBoth } from '../settings.ts';

/** The two endpoints of the sidecar, and the floor: one database query with a one-word response. */
const settings: Settings & { accessKey: string } = JSON.parse(process.argv[2] ?? '{}');
const { host, trustProxy } = sameForBoth;
const log = createLog({ level: 'info' });
const { db } = connectPg({ url: settings.databaseUrl, maxConnections: 2, statementTimeoutMs: 2_000 });
const system = createSystemSampler((error) => log.warn('no sample', { error }));
await system.sample();
const health = createHealthApp({
  db,
  databaseUrl: settings.databaseUrl,
  clock: systemClock,
  log,
  accessKeys: { check: settings.accessKey, metrics: settings.accessKey, url: undefined },
  baseUrl: 'https://localhost:8443',
  rest: { isResting: () => false, beforeRest: () => undefined },
  system,
  writes: monitorWrites(db, log),
});
const floor = new Hono().get('/floor', async (c) =>
  c.json({ up: await db.execute(sql`select 1`).then(() => true) }),
);
const { port } = await serveNode({
  fetch: (request, invocation) =>
    request.url.endsWith('/floor') ? floor.fetch(request) : health.fetch(request, invocation),
  host,
  port: 0,
  trustProxy,
  log,
});
tellReady({ url: `http://${host}:${port}` });
