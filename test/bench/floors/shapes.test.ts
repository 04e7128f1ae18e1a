import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Json } from '../../e2e/support/api.ts';
import type { Target } from '../load.ts';
import { assertSameShape } from './shapes.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers each request with the next body, and then with the last one. */
async function answering(...bodies: Json[]): Promise<Target> {
  let served = 0;
  const server = createServer((_request, response) => {
    response.end(JSON.stringify(bodies[Math.min(served++, bodies.length - 1)]));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, headers: {} };
}

const user = { id: '1', name: 'alice', groups: ['staff'] };

it('a floor with the members of the portal is a reference, with any values', async () => {
  const portal = await answering({ items: [user, user], next: 'sealed' });
  const floor = await answering({ items: [{ ...user, id: null }, user], next: 'plain' });
  await expect(assertSameShape(portal, floor)).resolves.toBeUndefined();
});

it.each([
  ['a member less', { items: [{ id: '1', name: 'alice' }, user], next: '' }],
  ['an item less', { items: [user], next: '' }],
  ['an empty inner list', { items: [user, { ...user, groups: [] }], next: '' }],
])('a floor with %s ends the benchmark', async (_difference, body) => {
  const portal = await answering({ items: [user, user], next: '' });
  await expect(assertSameShape(portal, await answering(body))).rejects.toThrow(/another shape/);
});

it('a list that changes while both are asked is compared again', async () => {
  const portal = await answering({ items: [user] }, { items: [user, user] });
  await expect(assertSameShape(portal, await answering({ items: [user, user] }))).resolves.toBeUndefined();
});
