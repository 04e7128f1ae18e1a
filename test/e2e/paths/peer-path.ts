import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Authority } from '../../simulator/authority.ts';
import { accepted, type Json } from '../support/api.ts';
import { auth, webui } from '../support/installation.ts';
import type { World } from '../twins/world.ts';

const issuer = 'https://south.example.com';
const peers = '/api/aggregator/v7.0/peers';
const algorithms = ['ES256', 'RS256', 'EdDSA'] as const;
type Signer = { algorithm: string; privateKey: CryptoKey; jwk: Json };

/** Another aggregator sends tokens that it signs; its keys are at an address of its own. */
export function describePeers(given: () => World): void {
  describe('a peer aggregator', () => {
    let signers: Signer[];
    let server: Awaited<ReturnType<typeof publish>>;
    let peer: Json;
    beforeAll(async () => {
      signers = await Promise.all(algorithms.map(createSigner));
      const { admin, stand } = given();
      server = await publish(stand.authority, () => signers.map(({ jwk }) => jwk));
      const role = await admin(`POST ${webui}/rbac`, {
        body: { name: 'Peers', permissions: ['sites.read'] },
      });
      const body = { name: 'South', issuer, jwks_url: server.url, ...stand.trust, roles: [role.body.id] };
      const made = await admin(`POST ${peers}`, { body });
      expect([made.status, made.body.issuer]).toEqual([201, issuer]);
      peer = made.body;
    });
    afterAll(() => server?.close());

    const bring = (token: string) => given().stand.api.send(`POST ${auth}/jwtauth`, { body: { token } });
    const tokenBy = (index: number, claims: object = {}) =>
      sign(signers[index], given().stand.baseUrl, claims);

    it.each([
      ...algorithms.entries(),
    ])('exchanges a token (%i: %s) for a session with its roles', async (index) => {
      const { stand, installed } = given();
      const token = await tokenBy(index);
      const { status, body } = await bring(token);
      expect([status, body]).toMatchObject([200, { result: 'ok', expires_in: 14_400 }]);
      const sites = await accepted(stand.api, `GET ${webui}/sites`, { token: body.token });
      expect(sites.items.map(({ id }: Json) => id)).toContain(installed.site.id);
      const refused = await stand.api.send(`GET ${webui}/farms`, { token: body.token });
      expect([refused.status, refused.body.required_permission]).toEqual([403, 'farms.read']);
      expect((await stand.api.send('GET /api/userinfo', { token: body.token })).status).toBe(403);
      expect((await bring(token)).body.code).toBe('invalid_token');
    });

    it('is refused with a token for another audience, an expired one, or one of an unknown issuer', async () => {
      for (const claims of [{ aud: 'https://other.example.com' }, { iat: 1, exp: 61 }, { iss: `${issuer}/` }])
        expect([(await bring(await tokenBy(0, claims))).status, claims]).toEqual([401, claims]);
    });

    it('loses its session when it is disabled', async () => {
      const { stand, admin } = given();
      const { token } = (await bring(await tokenBy(0))).body;
      const ask = () => stand.api.send('GET /api/discover', { token });
      expect((await ask()).status).toBe(200);
      expect((await admin(`PUT ${peers}/${peer.id}`, { body: { ...peer, enabled: false } })).status).toBe(
        200,
      );
      expect([(await ask()).status, (await bring(await tokenBy(0))).status]).toEqual([401, 401]);
    });
  });
}

async function createSigner(algorithm: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid: algorithm, use: 'sig' } };
}

function sign(signer: Signer | undefined, aud: string, claims: object): Promise<string> {
  if (!signer) throw new Error('nobody signs this');
  const { algorithm: alg, privateKey } = signer;
  const iat = Math.floor(Date.now() / 1000);
  const all = {
    iss: issuer,
    aud,
    sub: issuer,
    iat,
    exp: iat + 300,
    jti: crypto.randomUUID(),
    ...claims,
  };
  return new SignJWT(all).setProtectedHeader({ alg, kid: alg, typ: 'peer+jwt' }).sign(privateKey);
}

async function publish(authority: Authority, keys: () => Json[]) {
  const server = createServer(await authority.issue(), (_, response) =>
    response.end(JSON.stringify({ keys: keys() })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/keys`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
