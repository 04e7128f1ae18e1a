import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { peerSessions, peers } from '../../../db/schema/identity/peers.ts';
import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { asker, audited, startWorld, unique, type World } from '../../support/factories.ts';
import {
  addPeer,
  claimsOf,
  createSigner,
  exchange,
  jwtauth,
  peerBody,
  peersPath,
  startKeyServer,
} from '../../support/identity/peers.ts';
import type { Answer } from '../../support/portal.ts';
import { startPortal } from '../../support/portal.ts';

let world: World;
let authority: Authority;
const servers: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  [world, authority] = [await startWorld(), await createAuthority()];
});
beforeEach(async () => {
  // Moving the clock expires sessions.
  world.admin = asker(world.portal, await world.portal.login());
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await world.portal.close();
});

/** A peer whose keys are on a server with this response; the peer signs with a new key. */
async function published(reply: Parameters<typeof startKeyServer>[1] | 'own') {
  const signer = await createSigner();
  const server = await startKeyServer(authority, reply === 'own' ? { keys: [signer.jwk] } : reply);
  servers.push(server);
  return { server, peer: await addPeer(world.admin, [], { signer, ...server.source }) };
}

const come = (peer: Parameters<typeof exchange>[1], given: object = {}) =>
  exchange(world.portal, peer, given);
const outcome = ({ status, body }: Answer) =>
  [status, body.code ?? body.result, body.reason].filter((part) => part !== undefined);

describe('the published keys of a peer', () => {
  it('are fetched once, also for concurrent tokens', async () => {
    const { server, peer } = await published('own');
    const answers = await Promise.all(Array.from({ length: 8 }, () => come(peer)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
    expect(server.calls).toBe(1);
  });

  it('are fetched again for an unknown kid, because a peer may rotate its keys at any time', async () => {
    const { server, peer } = await published('own');
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
    const next = { ...peer, signer: await createSigner('EdDSA') };
    server.reply = { keys: [peer.signer.jwk, next.signer.jwk] };
    world.portal.advance(10);
    expect([outcome(await come(next)), outcome(await come(peer)), server.calls]).toEqual([
      [200, 'ok'],
      [200, 'ok'],
      2,
    ]);
    world.portal.advance(10);
    const unknown = { ...peer, signer: await createSigner() };
    expect([outcome(await come(unknown)), server.calls]).toEqual([[401, 'invalid_token'], 3]);
  });

  it('are accepted for at most five minutes after they were withdrawn', async () => {
    const { server, peer } = await published('own');
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
    server.reply = { keys: [] };
    world.portal.advance(301);
    expect(outcome(await come(peer))).toEqual([401, 'invalid_token']);
  });

  it('are accepted while their server fails, until they are too old', async () => {
    const { server, peer } = await published('own');
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
    server.reply = { status: 503 };
    world.portal.advance(10);
    const next = { ...peer, signer: await createSigner() };
    expect(outcome(await come(next))).toEqual([502, 'upstream_failed', 'unexpected_status']);
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
    world.portal.advance(300);
    expect(outcome(await come(peer))).toEqual([502, 'upstream_failed', 'unexpected_status']);
  });

  it('of another type, for encryption or without a kid are ignored', async () => {
    const { server, peer } = await published('own');
    const { jwk } = peer.signer;
    for (const key of [
      { ...jwk, use: 'enc' },
      { ...jwk, kid: undefined },
      { ...jwk, alg: 'RS256' },
      'key',
      null,
    ]) {
      server.reply = { keys: [key] };
      world.portal.advance(301);
      expect(outcome(await come(peer)).slice(0, 1)).toEqual([key === 'key' || key === null ? 502 : 401]);
    }
    server.reply = {
      keys: [
        { kty: 'oct', kid: 'secret', k: 'AAAA' },
        { ...jwk, use: 'sig', x5t: 'x' },
      ],
    };
    world.portal.advance(301);
    expect(outcome(await come(peer))).toEqual([200, 'ok']);
  });
});

describe('a peer that is changed while its keys are fetched', () => {
  it.each([
    ['disabled', { enabled: false }],
    ['given other keys', { jwks_url: 'https://keys.example.com/' }],
    ['given another name', { name: unique('peer') }],
  ])('and is %s begins no session with its former state', async (_, change) => {
    const { server, peer } = await published('own');
    const path = `${peersPath}/${peer.peer.id}`;
    server.meanwhile = () => world.admin(`PUT ${path}`, { ...peer.peer, ...change });
    expect(outcome(await come(peer))).toEqual([401, 'invalid_token']);
    const { db } = world.portal;
    expect(await db.select().from(peerSessions).where(eq(peerSessions.peer_id, peer.peer.id))).toEqual([]);
  });

  it('and is deleted begins none either', async () => {
    const { server, peer } = await published('own');
    server.meanwhile = () => world.admin(`DELETE ${peersPath}/${peer.peer.id}`);
    expect(outcome(await come(peer))).toEqual([401, 'invalid_token']);
  });
});

describe('a key server', () => {
  it.each([
    ['that redirects', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, 'redirect'],
    ['that answers without end', { status: 200, body: `{"keys":[${'{},'.repeat(40_000)}{}]}` }, 'too_large'],
    ['that compresses', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'x' }, 'malformed'],
    ['that sends a page', { status: 200, body: '<html>' }, 'wrong_shape'],
    ['that sends too many', { status: 200, body: `{"keys":[${'{},'.repeat(64)}{}]}` }, 'wrong_shape'],
    ['that sends no set', { status: 200, body: '[]' }, 'wrong_shape'],
    ['that fails', { status: 500 }, 'unexpected_status'],
  ])('%s admits no token', async (_, reply, reason) => {
    const { server, peer } = await published(reply);
    const { result, events } = await audited(world.portal, () => come(peer));
    expect([outcome(result), server.calls]).toEqual([[502, 'upstream_failed', reason], 1]);
    expect(events).toMatchObject([
      { event: 'portal.LoginFailed', user_id: peer.peer.id, details: { reason: 'upstream_failed' } },
    ]);
  });

  it('that hangs is aborted, and delays no other request', async () => {
    const { server, peer } = await published('hang');
    const [hanging, other] = [come(peer), await come((await published('own')).peer)];
    expect(outcome(other)).toEqual([200, 'ok']);
    expect([outcome(await hanging), server.calls]).toEqual([[504, 'upstream_timeout'], 1]);
  });

  it.each([
    'expired',
    'wrong_name',
    'self_signed',
    'unknown_ca',
  ] as const)('whose certificate is %s is not trusted', async (kind) => {
    const signer = await createSigner();
    const certified = { ...authority, issue: () => authority.issue(kind) };
    const server = await startKeyServer(certified, { keys: [signer.jwk] });
    servers.push(server);
    const peer = await addPeer(world.admin, [], { signer, ...server.source });
    expect(outcome(await come(peer))).toEqual([502, 'upstream_tls', kind]);
    expect(server.calls).toBe(0);
  });

  it('is not called for tokens of an unknown issuer or a forbidden algorithm', async () => {
    const { server, peer } = await published('own');
    expect((await come(peer, { iss: 'https://nobody.example.com' })).status).toBe(401);
    const token = await peer.signer.sign(claimsOf(world.portal, peer.peer));
    const none = `${Buffer.from('{"alg":"none","kid":"x"}').toString('base64url')}.${token.split('.')[1]}.`;
    expect((await world.portal.send(jwtauth, { body: { token: none } })).status).toBe(401);
    expect(server.calls).toBe(0);
  });
});

describe('the key address of a peer', () => {
  it.each([
    'http://keys.example.com/jwks',
    'https://user:pw@keys.example.com/jwks',
    'https://keys.example.com/jwks#x',
    'https://10.0.0.7/jwks',
    'https://169.254.169.254/latest',
    'https://[::1]/jwks',
    'https://0x0a000001/jwks',
    'no url',
  ])('%s is rejected when it is saved', async (jwks_url) => {
    const { status, body } = await world.admin(`POST ${peersPath}`, peerBody({ jwks_url }));
    expect([status, body.errors[0]]).toMatchObject([
      422,
      { pointer: '/jwks_url', code: 'address_not_allowed' },
    ]);
    if (jwks_url.includes('10.0.0.7')) expect(body.errors[0].detail).toContain('ALLOWED_PRIVATE_NETWORKS');
  });

  it('is checked again when it is called, because an allowed network may be withdrawn', async () => {
    const { server, peer } = await published('own');
    const { database } = world.portal;
    const strict = await startPortal({ database, allowedNetworks: [] });
    expect(outcome(await exchange(strict, peer))).toEqual([502, 'upstream_refused', 'address_not_allowed']);
    expect(server.calls).toBe(0);
    await strict.close();
  });

  it('is checked as stored in the database, whatever wrote it there', async () => {
    const { peer } = await published('own');
    const { db } = world.portal;
    for (const jwks_url of ['https://10.0.0.7/jwks', 'http://127.0.0.1/jwks']) {
      await db.update(peers).set({ jwks_url }).where(eq(peers.id, peer.peer.id));
      expect(outcome(await come(peer))).toEqual([502, 'upstream_refused', 'address_not_allowed']);
    }
    expect((await asker(world.portal)(jwtauth, { token: 'x' })).status).toBe(401);
  });
});
