import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, serveNode } from '../../../shared/runtime/node/server.ts';
import { base, useWorld } from '../../support/factories.ts';

const world = useWorld();
let serving: RunningServer;
let token: string;
let arrived = Promise.withResolvers<void>();

beforeAll(async () => {
  token = await world.portal.login();
  const fetch: Parameters<typeof serveNode>[0]['fetch'] = (request, invocation) => {
    arrived.resolve();
    return world.portal.portal.fetch(request, invocation);
  };
  const log = { error: (message: string) => void world.portal.log.push({ message }) };
  serving = await serveNode({ fetch, host: '127.0.0.1', port: 0, trustProxy: 0, log });
});
afterAll(async () => {
  await serving.close(0);
});

it.each([
  ['of a declared length', 'Content-Length: 100', '{"name":'],
  ['in pieces', 'Transfer-Encoding: chunked', '8\r\n{"name":\r\n'],
])('a body %s that its client aborts is not reported as a database failure', async (_, header, piece) => {
  arrived = Promise.withResolvers();
  world.portal.log.length = 0;
  const socket = connect(serving.port, '127.0.0.1');
  const head = [
    `POST ${base}/sites HTTP/1.1`,
    'Host: localhost',
    `X-Auth-Token: ${token}`,
    'Content-Type: application/json',
    header,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${piece}`);
  await arrived.promise;
  socket.destroy();
  const statuses = () =>
    world.portal.log.filter(({ message }) => message === 'request').map(({ status }) => status);
  await expect.poll(statuses, { timeout: 10_000 }).toEqual([400]);
});
