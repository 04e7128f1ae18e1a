import { serveNode } from '../../../shared/runtime/node/server.ts';

/** The Node server with routes for tests, in a separate process. Its first line of output is its port. */
const megabyte = 'x'.repeat(1_000_000);

const { port } = await serveNode({
  host: '127.0.0.1',
  port: 0,
  trustProxy: 0,
  log: { error: (message, fields) => console.error(message, fields) },
  ...JSON.parse(process.env.SERVER_SETTINGS ?? '{}'),
  fetch: ({ url }) => {
    const { pathname } = new URL(url);
    return pathname === '/large' ? new Response(megabyte) : new Response('ok');
  },
});
console.log(port);
