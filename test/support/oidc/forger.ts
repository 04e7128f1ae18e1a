import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createAuthority } from '../../simulator/authority.ts';

type Claims = Record<string, unknown>;
/** An answer: JSON, or a status with a body or headers. */
export type Reply =
  | { json: unknown; status?: number }
  | { status: number; body?: string; headers?: Record<string, string> };
type Part = 'discovery' | 'jwks' | 'token' | 'userinfo' | 'pushed' | 'graph';
type Request = { part: Part; headers: IncomingMessage['headers']; body: string };

export type SigningKey = { privateKey: CryptoKey; jwk: JWK };

export async function newSigningKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'RS256' } };
}

/** A provider on a real socket whose every answer a test may forge. `answers` replaces the default ones. */
export async function startForger() {
  const authority = await createAuthority('Forger');
  const key = await newSigningKey('k1');
  const requests: Request[] = [];
  const answers: Partial<Record<Part, (request: Request) => Reply | Promise<Reply>>> = {};
  const server = createServer(await authority.issue(), (incoming, answer) => void respond(incoming, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const metadata: Claims = metadataAt(issuer);
  const defaults: Record<Part, () => Reply> = {
    discovery: () => ({ json: metadata }),
    jwks: () => ({ json: { keys: [key.jwk] } }),
    token: () => ({ json: { error: 'invalid_grant' }, status: 400 }),
    userinfo: () => ({ json: { sub: 'anna' } }),
    pushed: () => ({ json: { request_uri: 'urn:example:1', expires_in: 60 }, status: 201 }),
    graph: () => ({ json: { value: [] } }),
  };

  async function respond(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const part = partOf(incoming.url ?? '');
    const request = { part, headers: incoming.headers, body: Buffer.concat(parts).toString() };
    requests.push(request);
    send(answer, await (answers[part] ?? defaults[part])(request));
  }

  return {
    issuer,
    ca: authority.caPem,
    key,
    metadata,
    answers,
    requests,
    count: (part: Part): number => requests.filter((one) => one.part === part).length,
    /** Puts all answers back. */
    reset: (): void => {
      for (const part of Object.keys(answers)) delete answers[part as Part];
      for (const name of Object.keys(metadata)) delete metadata[name];
      Object.assign(metadata, metadataAt(issuer));
      requests.length = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Forger = Awaited<ReturnType<typeof startForger>>;

const metadataAt = (issuer: string): Claims => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  authorization_response_iss_parameter_supported: true,
});

function partOf(path: string): Part {
  if (path.includes('/.well-known/')) return 'discovery';
  if (path.startsWith('/v1.0/')) return 'graph';
  return path.split('/')[1]?.split('?')[0] as Part;
}

function send(answer: ServerResponse, reply: Reply): void {
  if (answer.destroyed) return;
  if ('json' in reply) {
    answer.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(reply.json));
    return;
  }
  answer.writeHead(reply.status, { 'content-type': 'text/html', ...reply.headers });
  answer.end(reply.body ?? '');
}

/** Claims of a correct ID token. */
export const claimsOf = (issuer: string, nonce: string): Claims => {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: 'ask',
    sub: 'anna',
    nonce,
    iat: now,
    exp: now + 300,
    preferred_username: 'anna',
    groups: ['g-1'],
    name: 'Anna',
    email: 'anna@example.com',
  };
};

/** A signed token. Claims that are undefined are left out. */
export const signed = (
  claims: Claims,
  { privateKey, jwk }: SigningKey,
  header: Claims = {},
): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: jwk.kid ?? '', ...header })
    .sign(privateKey, { crit: { x: true } });

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token without a signature. */
export const unsigned = (claims: Claims): string => `${encoded({ alg: 'none' })}.${encoded(claims)}.`;

/** A token whose shared secret is the published key, for a verifier that confuses the algorithms. */
export const signedByPublicKey = (claims: Claims, { jwk }: SigningKey): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: jwk.kid ?? '' })
    .sign(new TextEncoder().encode(JSON.stringify(jwk)));
