import { createServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import {
  ask,
  authority,
  exchange,
  keyFor,
  person,
  published,
  restart,
  second,
  sign,
  sim,
  strangersKey,
  type Token,
  useSimulator,
} from '../data/fixture.ts';

useSimulator();

describe('jwtauth of the simulator', () => {
  test.each<[string, () => Token]>([
    ['for another purpose', () => ({ typ: 'peer+jwt' })],
    ['without a purpose', () => ({ typ: 'JWT' })],
    ['for another node', () => ({ claims: { aud: 'south-1' } })],
    ['for several nodes', () => ({ claims: { aud: ['north-1', 'south-1'] } })],
    ['of another issuer', () => ({ claims: { iss: 'https://else.example' } })],
    ['of an unknown domain', () => ({ claims: { sub: 'ada', auth: 'NOWHERE' } })],
    ['of a user without a domain', () => ({ claims: { sub: 'ada' } })],
    ['by an unknown key', () => ({ kid: 'second', signer: strangersKey })],
    ['with a forged signature', () => ({ signer: strangersKey })],
    ['that has ended', () => ({ lifeS: -60 })],
    ['that lives too long', () => ({ lifeS: 601 })],
  ])('refuses a token %s', async (_what, token) => {
    expect(await exchange(await sign(token()))).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    });
  });

  test('accepts a token once', async () => {
    const token = await sign();
    expect((await exchange(token)).status).toBe(200);
    expect((await exchange(token)).status).toBe(401);
  });

  test.each([
    600, -600,
  ])('rejects a token when the clock of the node is wrong by %i seconds', async (skewS) => {
    sim.knobs.clockSkewS = skewS;
    expect((await exchange(await sign())).status).toBe(401);
  });

  test('issues keys for calls of one kind only, until they expire', async () => {
    const [service, user] = [await keyFor(), await keyFor(person('ada'))];
    expect((await ask('/api/webui/tags', { key: service })).status).toBe(200);
    expect((await ask('/api/webui/tags', { key: user })).status).toBe(401);
    expect((await ask('/api/client/v7.0/services', { key: service })).status).toBe(401);
    sim.expireKeys();
    expect((await ask('/api/webui/tags', { key: service })).status).toBe(401);
  });

  test('opens a user session for a user called aggregator', async () => {
    const key = await keyFor(person('aggregator'));
    expect((await ask('/api/webui/tags', { key })).status).toBe(401);
  });

  test('fetches the keys of the portal over https, and again for an unknown key', async () => {
    const answers = [{ keys: published }, { keys: [...published, second] }];
    let asked = 0;
    const server = createServer(await authority.issue(), (_incoming, outgoing) => {
      outgoing.end(JSON.stringify(answers[Math.min(asked, 1)]));
      asked += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await restart({ jwks: `https://127.0.0.1:${port}/jwks` });
    const statuses = [];
    for (const token of [{}, {}, { kid: 'second', signer: strangersKey }]) {
      statuses.push((await exchange(await sign(token))).status);
    }
    server.closeAllConnections();
    server.close();
    expect(statuses).toEqual([200, 200, 200]);
    expect(asked).toBe(2);
  });
});
