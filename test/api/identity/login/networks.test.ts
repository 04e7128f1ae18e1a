import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, serveNode } from '../../../../shared/runtime/node/server.ts';
import { addUser, goodPassword, unique, useWorld } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
/** The portal behind one trusted proxy, and behind none. */
let behindProxy: RunningServer;
let direct: RunningServer;

beforeAll(async () => {
  const serve = (trustProxy: number) =>
    serveNode({
      fetch: world.portal.portal.fetch,
      host: '127.0.0.1',
      port: 0,
      trustProxy,
      log: { error: () => undefined },
    });
  [behindProxy, direct] = [await serve(1), await serve(0)];
});
afterAll(async () => {
  await Promise.all([behindProxy.close(1_000), direct.close(1_000)]);
});

async function login(serving: RunningServer, forwardedFor: string, username: string, password: string) {
  const { statusCode, body } = await request(`http://127.0.0.1:${serving.port}/api/auth/v7.0/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': forwardedFor,
      'x-forwarded-proto': 'https',
    },
    body: JSON.stringify({ username, password, authId: world.domain.id }),
  });
  await body.dump();
  return statusCode;
}
async function lockedFrom(
  serving: RunningServer,
  networks: readonly string[],
  user: Json,
): Promise<number[]> {
  const statuses: number[] = [];
  for (const from of networks) statuses.push(await login(serving, from, user.name, 'a wrong guess'));
  return statuses;
}

it('an account is locked for the network that the trusted proxy reports, in any notation', async () => {
  const user = await addUser(world.admin, world.domain);
  const same = [
    '203.0.113.9',
    '::ffff:203.0.113.9',
    '6.6.6.6, 203.0.113.9',
    '203.0.113.9:4711',
    '203.0.113.9',
  ];
  expect(await lockedFrom(behindProxy, [...same, '203.0.113.9'], user)).toEqual([
    401, 401, 401, 401, 401, 429,
  ]);
  expect(await login(behindProxy, '203.0.113.9', user.name, goodPassword)).toBe(429);
  expect(await login(behindProxy, '203.0.113.10', user.name, goodPassword)).toBe(200);
  const one64 = [
    '2001:db8:9:9::1',
    '[2001:db8:9:9::2]',
    '2001:db8:9:9:a::3',
    '2001:db8:9:9::4',
    '2001:db8:9:9::5',
  ];
  expect((await lockedFrom(behindProxy, [...one64, '2001:db8:9:9:f::6'], user)).slice(4)).toEqual([401, 429]);
  expect(await login(behindProxy, '2001:db8:9:a::1', user.name, goodPassword)).toBe(200);
});

it('without a trusted proxy a lock cannot be avoided by forged addresses', async () => {
  const user = await addUser(world.admin, world.domain, { name: unique('direct') });
  const claimed = Array.from({ length: 6 }, (_, at) => `203.0.113.${100 + at}`);
  expect(await lockedFrom(direct, claimed, user)).toEqual([401, 401, 401, 401, 401, 429]);
});
