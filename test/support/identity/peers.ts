import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Authority } from '../../simulator/authority.ts';
import { type Ask, create, unique } from '../factories.ts';
import { baseUrl, type Json, type TestPortal } from '../portal.ts';
import { signJwt } from './signing-keys.ts';

export const peersPath = '/api/aggregator/v7.0/peers';
export const jwtauth = 'POST /api/auth/v7.0/jwtauth';

export type Algorithm = 'RS256' | 'ES256' | 'EdDSA';
/** A key of a peer, and tokens signed with it. */
export type Signer = {
  kid: string;
  /** The public half, for the registration. */
  jwk: Json;
  /** Default `typ`: `peer+jwt`. */
  sign(claims: JWTPayload, header?: object): Promise<string>;
};

export async function createSigner(algorithm: Algorithm = 'ES256', kid = unique('key')): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm },
    sign: (claims, header = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid, typ: 'peer+jwt', ...header })
        .sign(privateKey),
  };
}

export const peerBody = (given: object = {}) => {
  const name = unique('peer');
  return { name, issuer: `https://${name}.example.com`, ...given };
};

export type Peer = { peer: Json; signer: Signer };

/** A registered peer with these roles; its key is registered with it unless an address is given. */
export async function addPeer(
  admin: Ask,
  roles: readonly string[] = [],
  { signer: used, ...given }: { signer?: Signer; [member: string]: unknown } = {},
): Promise<Peer> {
  const signer = used ?? (await createSigner());
  const keys = given.jwks_url === undefined ? { jwks: { keys: [signer.jwk] } } : {};
  return { peer: await create(admin, peersPath, peerBody({ roles, ...keys, ...given })), signer };
}

/** Current claims of a peer by the clock of the portal; `undefined` omits one. */
export function claimsOf({ deps }: TestPortal, peer: Json, given: object = {}): JWTPayload {
  const now = Math.floor(deps.clock().getTime() / 1000);
  const claims = { iss: peer.issuer, aud: baseUrl, sub: peer.issuer, iat: now, exp: now + 60, jti: newId() };
  return JSON.parse(JSON.stringify({ ...claims, ...given }));
}

/** A heartbeat signed by a key of this installation. */
export const signHeartbeat = ({ deps }: TestPortal, claims: object): Promise<string> =>
  signJwt(deps.signingKeys, 'heartbeat+jwt', { iss: deps.baseUrl, ...claims }, deps.clock());

/** The response to a valid token of the peer, or to one with these claims. */
export const exchange = async (portal: TestPortal, { peer, signer }: Peer, given: object = {}) =>
  portal.send(jwtauth, { body: { token: await signer.sign(claimsOf(portal, peer, given)) } });

/** Response of a key server: a key set, or an invalid document. */
type Reply =
  | { keys: readonly Json[] }
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang';

/** A key server on loopback; `calls` are its requests, `meanwhile` runs before it answers. */
export async function startKeyServer(authority: Authority, reply: Reply) {
  const state = { reply, calls: 0, meanwhile: async (): Promise<unknown> => undefined };
  const server = createServer(await authority.issue(), async (_, response) => {
    state.calls += 1;
    await state.meanwhile();
    const now = state.reply;
    if (now === 'hang') return;
    if ('keys' in now) return void response.end(JSON.stringify({ keys: now.keys }));
    response.writeHead(now.status, now.headers).end(now.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    /** Properties of a peer with inline keys. */
    source: { jwks_url: `https://127.0.0.1:${port}/keys`, ca_certificate: authority.caPem },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  });
}
