import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveNode } from '../../../../shared/runtime/node/server.ts';
import { freePorts } from '../../../e2e/support/portal-process.ts';
import { unique, useWorld } from '../../../support/factories.ts';
import { type ScimClient, startScim } from '../../../support/identity/scim.ts';

const world = useWorld();
let scim: ScimClient;
let port: number;
let close: () => Promise<void>;

beforeAll(async () => {
  scim = await startScim(world);
  [port = 0] = await freePorts(1);
  const { portal, deps } = world.portal;
  const serving = await serveNode({
    ...{ fetch: portal.fetch, host: '127.0.0.1', port, trustProxy: 0, log: deps.log },
  });
  close = () => serving.close(1_000);
});
afterAll(() => close?.());

/** Opens a request for a new user, and sends the first part of the body. */
function begin(first: string): { sent: ClientRequest; answer: Promise<IncomingMessage> } {
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: `/scim/v2/${scim.domain.id}/Users` },
    headers: { authorization: `Bearer ${scim.token}`, 'content-type': 'application/scim+json' },
  });
  const answer = Promise.withResolvers<IncomingMessage>();
  sent.on('response', answer.resolve).on('error', answer.reject);
  sent.write(first);
  return { sent, answer: answer.promise };
}

it('a body that is not complete after 30 seconds is refused, and a slow one before that is read', async () => {
  const [endless, slow] = [begin('{"userName":'), begin('{"userName":')];
  const started = performance.now();
  const trickle = setInterval(() => endless.sent.write(' '), 1_000);
  setTimeout(() => slow.sent.end(`"${unique('slow')}"}`), 20_000);
  expect((await slow.answer).statusCode).toBe(201);
  const refused = await endless.answer;
  clearInterval(trickle);
  expect(performance.now() - started).toBeGreaterThan(29_000);
  expect(refused.statusCode).toBe(408);
  expect(await json(refused)).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '408',
  });
  endless.sent.destroy();
}, 60_000);
