import type { Hono } from 'hono';
import { serveNode } from '../../../shared/runtime/node/server.ts';
import { tellReady } from '../child-process.ts';
import { sameForBoth } from '../settings.ts';

/** Serves a floor on the server entry of the portal, and reports its address. */
export async function serveFloor(app: Hono): Promise<void> {
  const { host, trustProxy } = sameForBoth;
  const { port } = await serveNode({
    fetch: (request) => app.fetch(request),
    host,
    port: 0,
    trustProxy,
    log: { error: console.error },
  });
  tellReady({ url: `http://${host}:${port}` });
}
