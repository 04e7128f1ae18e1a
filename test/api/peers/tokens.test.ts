import { createHmac } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerSessions, usedPeerTokens } from '../../../db/schema/identity/peers.ts';
import {
  addMember,
  addRole,
  asker,
  audited,
  base,
  startWorld,
  unique,
  useWorld,
  type World,
} from '../../support/factories.ts';
import {
  type Algorithm,
  addPeer,
  claimsOf,
  createSigner,
  exchange,
  jwtauth,
  type Peer,
} from '../../support/identity/peers.ts';
import { type Answer, baseUrl, type Json, type TestPortal } from '../../support/portal.ts';

const world = useWorld();
let portal: TestPortal;
let role: Json;
let one: Peer;

beforeAll(async () => {
  portal = world.portal;
  role = await addRole(world.admin, ['sites.read', 'gateways.read']);
  one = await addPeer(world.admin, [role.id]);
});

const now = () => Math.floor(portal.deps.clock().getTime() / 1000);
const bring = (token: unknown, options: object = {}, at = portal) =>
  at.send(jwtauth, { body: { token }, ...options });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const outcome = ({ status, body }: Answer) => [status, body.code ?? body.result];
const sessionsOf = ({ peer }: Peer, { db } = portal) =>
  db.select().from(peerSessions).where(eq(peerSessions.peer_id, peer.id));

describe('a token of a peer', () => {
  it.each<Algorithm>(['RS256', 'ES256', 'EdDSA'])('by %s is exchanged for a session', async (algorithm) => {
    const peer = await addPeer(world.admin, [role.id], { signer: await createSigner(algorithm) });
    const { status, body } = await exchange(portal, peer);
    expect([status, Object.keys(body).sort(), body.result, body.expires_in]).toEqual([
      200,
      ['expires_in', 'result', 'token'],
      'ok',
      14_400,
    ]);
    expect((await portal.send(`GET ${base}/sites`, { token: body.token })).status).toBe(200);
    const [kept] = await sessionsOf(peer);
    expect(JSON.stringify(kept)).not.toContain(body.token);
  });

  it('grants exactly the roles of the peer, and nothing without one', async () => {
    const { body } = await exchange(portal, one);
    const ask = asker(portal, body.token);
    expect((await ask(`GET ${base}/gateways`)).status).toBe(200);
    const refused = await ask(`GET ${base}/farms`);
    expect([refused.status, refused.body.required_permission]).toEqual([403, 'farms.read']);
    const none = (await exchange(portal, await addPeer(world.admin))).body.token;
    expect((await portal.send(`GET ${base}/sites`, { token: none })).status).toBe(403);
    expect((await portal.send('GET /api/discover/', { token: none })).body.sites).toEqual([]);
  });

  it('without a signature, or signed with the public key as a secret, is refused', async () => {
    const claims = claimsOf(portal, one.peer);
    for (const alg of ['none', 'None', '']) {
      const unsigned = `${encode({ alg, kid: one.signer.kid, typ: 'peer+jwt' })}.${encode(claims)}.`;
      expect([alg, ...outcome(await bring(unsigned))]).toEqual([alg, 401, 'invalid_token']);
    }
    const { alg: _, ...jwk } = one.signer.jwk;
    const pem = await exportSPKI((await importJWK(jwk, 'ES256', { extractable: true })) as CryptoKey);
    for (const secret of [pem, pem.trim(), JSON.stringify(one.signer.jwk), jwk.x]) {
      const text = `${encode({ alg: 'HS256', kid: one.signer.kid, typ: 'peer+jwt' })}.${encode(claims)}`;
      const mac = createHmac('sha256', secret).update(text).digest('base64url');
      expect(outcome(await bring(`${text}.${mac}`))).toEqual([401, 'invalid_token']);
    }
    expect(outcome(await bring(await one.signer.sign(claims)))).toEqual([200, 'ok']);
  });

  it.each<[string, () => object]>([
    ['that has expired', () => ({ iat: now() - 100, exp: now() - 31 })],
    ['that is not valid yet', () => ({ nbf: now() + 40 })],
    ['that was issued in the future', () => ({ iat: now() + 40, exp: now() + 100 })],
    ['that lives longer than ten minutes', () => ({ exp: now() + 601 })],
    ['that ends before it began', () => ({ iat: now(), exp: now() - 1 })],
    ['for another audience', () => ({ aud: 'https://other.test' })],
    ['for this portal and another audience', () => ({ aud: [baseUrl, 'https://other.test'] })],
    ['of a subject that is not its issuer', () => ({ sub: 'aggregator' })],
    ['for almost us', () => ({ aud: `${baseUrl}.other.test` })],
    ['of an issuer that is not registered', () => ({ iss: 'https://nobody.example.com' })],
    ['of almost its issuer', () => ({ iss: `${one.peer.issuer}/` })],
    ...['iss', 'aud', 'sub', 'iat', 'exp', 'jti'].map((claim): [string, () => object] => [
      `without ${claim}`,
      () => ({ [claim]: undefined }),
    ]),
    ['with an empty jti', () => ({ jti: '' })],
    ['with a jti that is no text', () => ({ jti: 7 })],
    ['with an exp that is no number', () => ({ exp: 'soon' })],
  ])('%s is refused, in the same words as any other', async (_, claims) => {
    const { status, body, headers } = await exchange(portal, one, claims());
    expect([status, body.code, body.detail]).toEqual([401, 'invalid_token', 'The token is not valid']);
    expect(headers.get('www-authenticate')).toBe('Token realm="aggregator"');
    expect(Object.keys(body).sort()).toEqual(
      ['code', 'detail', 'instance', 'retryable', 'status', 'title', 'type'].sort(),
    );
  });

  it('is accepted with a clock difference below half a minute', async () => {
    const answers = [
      await exchange(portal, one, { iat: now() - 60, exp: now() - 15 }),
      await exchange(portal, one, { nbf: now() + 15, iat: now() + 15, exp: now() + 60 }),
      await exchange(portal, one, { aud: [baseUrl], exp: now() + 600 }),
    ];
    expect(answers.map(outcome)).toEqual([
      [200, 'ok'],
      [200, 'ok'],
      [200, 'ok'],
    ]);
  });

  it('with an unknown kid, without one, or with that of another key is refused', async () => {
    const claims = () => claimsOf(portal, one.peer);
    const [stranger, neighbour] = [await createSigner(), await addPeer(world.admin, [role.id])];
    const tokens = [
      await stranger.sign(claims()),
      await stranger.sign(claims(), { kid: one.signer.kid }),
      await one.signer.sign(claims(), { kid: undefined }),
      await one.signer.sign(claims(), { kid: '__proto__' }),
      // A peer can send only its own heartbeat.
      await neighbour.signer.sign(claims()),
      await neighbour.signer.sign(claims(), { kid: one.signer.kid }),
    ];
    for (const token of tokens) expect(outcome(await bring(token))).toEqual([401, 'invalid_token']);
  });

  it('that was modified or is malformed is refused', async () => {
    const [head, , signature] = (await one.signer.sign(claimsOf(portal, one.peer))).split('.');
    const other = encode(claimsOf(portal, one.peer, { sub: 'somebody' }));
    for (const token of [`${head}.${other}.${signature}`, `${head}.${other}.`, 'a.b.c', 'x', '..'])
      expect(outcome(await bring(token))).toEqual([401, 'invalid_token']);
  });
});

describe('the jti of a token', () => {
  it('is not accepted again for a peer that was deleted and created again', async () => {
    const peer = await addPeer(world.admin);
    const token = await peer.signer.sign(claimsOf(portal, peer.peer));
    expect(outcome(await bring(token))).toEqual([200, 'ok']);
    const path = `/api/aggregator/v7.0/peers/${peer.peer.id}`;
    expect((await world.admin(`DELETE ${path}`)).status).toBe(204);
    expect(outcome(await bring(token))).toEqual([401, 'invalid_token']);
    await addPeer(world.admin, [], { signer: peer.signer, issuer: peer.peer.issuer });
    expect(outcome(await bring(token))).toEqual([401, 'invalid_token']);
  });

  it('is specific to its issuer: another may use the same', async () => {
    const other = await addPeer(world.admin);
    const jti = unique('jti');
    expect(outcome(await exchange(portal, one, { jti }))).toEqual([200, 'ok']);
    expect(outcome(await exchange(portal, other, { jti }))).toEqual([200, 'ok']);
  });
});

describe.each(['pg', 'neon'] as const)('the jti of a token by the driver %s', (driver) => {
  let stand: World;
  beforeAll(async () => {
    stand = await startWorld({ driver });
  });
  afterAll(() => stand.portal.close());

  it('is accepted once', async () => {
    const peer = await addPeer(stand.admin);
    const token = await peer.signer.sign(claimsOf(stand.portal, peer.peer));
    expect([
      outcome(await bring(token, {}, stand.portal)),
      outcome(await bring(token, {}, stand.portal)),
    ]).toEqual([
      [200, 'ok'],
      [401, 'invalid_token'],
    ]);
    const again = await exchange(stand.portal, peer, { jti: claimsOf(stand.portal, peer.peer).jti });
    expect(outcome(again)).toEqual([200, 'ok']);
    expect(await sessionsOf(peer, stand.portal)).toHaveLength(2);
  });

  it('is accepted once in concurrent requests, also to another isolate', async () => {
    const peer = await addPeer(stand.admin);
    const token = await peer.signer.sign(claimsOf(stand.portal, peer.peer));
    const senders = [stand.portal.send, stand.portal.isolate(), stand.portal.isolate()];
    const answers = await Promise.all(
      [...senders, ...senders].map((send) => send(jwtauth, { body: { token } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
    expect(await sessionsOf(peer, stand.portal)).toHaveLength(1);
  });
});

describe('jwtauth', () => {
  it('accepts exactly one purpose per request', async () => {
    const token = async () => one.signer.sign(claimsOf(portal, one.peer));
    const dispatcher_id = world.site.id;
    expect(outcome(await portal.send(jwtauth, { body: {} }))).toEqual([401, 'unauthenticated']);
    expect(outcome(await portal.send(jwtauth, {}))).toEqual([401, 'unauthenticated']);
    expect(outcome(await portal.send(jwtauth, { body: { dispatcher_id } }))).toEqual([
      401,
      'unauthenticated',
    ]);
    expect(outcome(await portal.send(jwtauth, { body: '{"token": ' }))).toEqual([401, 'unauthenticated']);
    const both = { dispatcher_id, token: await token() };
    expect(outcome(await portal.send(jwtauth, { body: both }))).toEqual([422, 'invalid_request']);
    const admin = await portal.login();
    expect(outcome(await bring(await token(), { token: admin }))).toEqual([422, 'invalid_request']);
    expect(outcome(await portal.send(jwtauth, { body: both, token: admin }))).toEqual([
      422,
      'invalid_request',
    ]);
    const reader = await addMember(world, ['sites.read']);
    expect(outcome(await bring(await token(), { token: reader.token }))).toEqual([403, 'forbidden']);
    expect(outcome(await bring(await token(), { token: 'x' }))).toEqual([401, 'invalid_token']);
    expect(outcome(await bring('x'.repeat(8_193)))).toEqual([422, 'invalid_request']);
  });

  it('names the peer in the audit, with the reason of a refusal', async () => {
    const jti = unique('jti');
    const good = await audited(portal, () => exchange(portal, one, { jti }));
    const who = { user_name: one.peer.name, user_id: one.peer.id, domain: one.peer.issuer };
    expect(good.events).toMatchObject([
      {
        ...who,
        event: 'portal.UserLogin',
        portal: 'admin',
        details: { peer: true, jti },
      },
    ]);
    const bad = await audited(portal, async () => {
      for (let time = 0; time < 3; time++) await exchange(portal, one, { jti });
    });
    expect(bad.events).toMatchObject([
      { ...who, event: 'portal.LoginFailed', result: 'failure', details: { reason: 'used_before' } },
    ]);
    const token = await one.signer.sign(claimsOf(portal, one.peer, { iss: `https://${jti}\u0007.test` }));
    const stranger = await audited(portal, () => bring(token, { ip: '192.0.2.77' }));
    expect(stranger.events).toMatchObject([
      { user_id: null, user_name: null, details: { reason: 'unknown_issuer' } },
    ]);
    expect(stranger.events[0]?.domain).not.toContain('\u0007');
  });

  it('takes two database round trips for a peer with cached keys', async () => {
    const token = await one.signer.sign(claimsOf(portal, one.peer));
    await portal.settled();
    const before = portal.trips();
    expect(outcome(await bring(token))).toEqual([200, 'ok']);
    expect(portal.trips() - before).toBe(2);
  });
});

// Moves the clock, which expires all other sessions.
it('deletes expired rows with the next token', async () => {
  const { peer, signer } = await addPeer(world.admin);
  const come = () => exchange(portal, { peer, signer });
  const used = () => portal.db.$count(usedPeerTokens);
  expect([outcome(await come()), outcome(await come())]).toEqual([
    [200, 'ok'],
    [200, 'ok'],
  ]);
  portal.advance(600);
  await come();
  expect(await used()).toBeGreaterThanOrEqual(3);
  portal.advance(14_401);
  await come();
  expect([await used(), (await sessionsOf({ peer, signer })).length]).toEqual([1, 1]);
});
