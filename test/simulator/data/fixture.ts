import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Agent, request } from 'undici';
import { afterAll, beforeEach, expect } from 'vitest';
import { z } from 'zod';
import { type CertificateKind, createAuthority } from '../authority.ts';
import type { JwksSource } from '../calls/jwks.ts';
import { type Simulator, startSimulator } from '../start.ts';
import type { Workplace } from './rows.ts';
import { createDispatcherState } from './seed.ts';

const issuer = 'https://portal.example';
const portal = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256', { extractable: true });

export const authority = await createAuthority();
export const agent = new Agent({ connect: { ca: authority.caPem } });
export const published = [{ ...(await exportJWK(portal.publicKey)), kid: 'first', alg: 'ES256' }];
/** A second key pair, which the portal does not publish at first. */
export const second = { ...(await exportJWK(stranger.publicKey)), kid: 'second', alg: 'ES256' };
export const strangersKey = stranger.privateKey;

/** The node under test; a new one for each test. */
export let sim: Simulator;

/** Call once in a test file. */
export function useSimulator(): void {
  beforeEach(async () => {
    sim = await start({});
    return () => sim.close();
  });
  afterAll(() => agent.destroy());
}

/** Restarts the node with other options. */
export async function restart(options: Parameters<typeof start>[0]): Promise<void> {
  await sim.close();
  sim = await start(options);
}

const start = ({
  certificate,
  jwks,
}: {
  certificate?: CertificateKind;
  jwks?: JwksSource;
}): Promise<Simulator> =>
  startSimulator({
    state: newState(),
    jwks: jwks ?? (async () => ({ keys: published })),
    portalCa: authority.caPem,
    certificate: certificate ?? 'good',
    issuer,
    authority,
  });

const newState = () =>
  createDispatcherState({
    name: 'north-1',
    domains: [
      { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
    ],
    pools: [
      { name: 'Office', protocols: ['rdp', 'spice'], workplaces: 4, entitled: 'all' },
      {
        name: 'Finance',
        protocols: ['rdp'],
        workplaces: 1,
        entitled: { users: ['corp\\Ada'], groups: ['payroll'] },
      },
      { name: 'Workshop', protocols: ['spice'], workplaces: 1, entitled: 'all', state: 'preparing' },
    ],
    tags: ['blue', 'green'],
  });
type Ask = { method?: string; body?: object; key?: string; headers?: Record<string, string> };

/** One request over a real socket; `key` is a session key. */
export async function ask(path: string, { method = 'GET', body, key, headers = {} }: Ask = {}) {
  const answer = await request(sim.url + path, {
    method,
    dispatcher: agent,
    signal: AbortSignal.timeout(5_000),
    headers: { ...headers, ...(key ? { 'x-auth-token': key } : {}) },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await answer.body.text();
  const { etag } = answer.headers;
  return { status: answer.statusCode, etag: String(etag), body: text === '' ? undefined : JSON.parse(text) };
}

export const patch = (path: string, key: string, body: object = {}) =>
  ask(path, { method: 'PATCH', key, body });

export type Token = { claims?: JWTPayload; kid?: string; lifeS?: number; signer?: CryptoKey; typ?: string };

/** A token of the portal for `north-1`; default subject: the aggregator itself. */
export function sign({
  claims = {},
  kid = 'first',
  lifeS = 60,
  signer = portal.privateKey,
  typ = 'dispatcher+jwt',
}: Token = {}) {
  const iat = Math.floor(Date.now() / 1000);
  const usual = {
    iss: issuer,
    aud: 'north-1',
    sub: 'aggregator',
    jti: crypto.randomUUID(),
    iat,
    exp: iat + lifeS,
  };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'ES256', kid, typ }).sign(signer);
}

export const exchange = (token: string) => ask('/api/auth/v7.0/jwtauth', { method: 'POST', body: { token } });

/** A session key, got by jwtauth. */
export async function keyFor(claims: JWTPayload = {}): Promise<string> {
  const { status, body } = await exchange(await sign({ claims }));
  expect(status).toBe(200);
  return z.object({ result: z.literal('ok'), token: z.string(), expires_in: z.number() }).parse(body).token;
}

/** Claims of a user. */
export const person = (name: string, groups: string[] = []) => ({
  sub: name,
  auth: 'corp',
  groups,
  client_ip: '192.0.2.7',
});
export const workplaceOf = (pool: string, n = 0): Workplace => {
  const workplace = sim.state.poolNamed(pool).members[n];
  if (!workplace) throw new Error('no such workplace');
  return workplace;
};
export const connectionOf = (pool: string) =>
  `/api/client/v7.0/connectionInfo/${sim.state.poolNamed(pool).uuid}`;
