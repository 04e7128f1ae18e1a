import { CompactSign, calculateJwkThumbprint, exportJWK, importPKCS8, type JWK, SignJWT } from 'jose';
import { addSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { tokenTypes } from './token-types.ts';

/** Claims of a token for a dispatcher. Claims other than `sub` depend on the kind of dispatcher. */
type DispatcherClaims = { sub: string } & Record<string, unknown>;

export type SigningKeys = {
  /**
   * Returns a JWT for one dispatcher, signed with the first key. `aud` is the name of the dispatcher, `typ` is
   * `dispatcher+jwt`.
   */
  signFor(audience: string, claims: DispatcherClaims, now: Date, lifeS: number): Promise<string>;
  /** Returns a compact JWS of a text, signed with the first key. `type` separates signatures for different purposes. */
  signText(type: string, text: string): Promise<string>;
  /** The id of the first key. */
  readonly kid: string;
  /** The public keys of this installation; two during a key rotation. */
  readonly jwks: { keys: JWK[] };
};

type Key = { algorithm: string; key: CryptoKey; jwk: JWK };

/**
 * @param pems PKCS 8 keys: P-256, RSA or Ed25519. The first one signs, all are published
 * @throws Error with a one-line message for any other key
 */
export async function createSigningKeys(pems: readonly string[], issuer: string): Promise<SigningKeys> {
  const keys = await Promise.all(pems.map(importKey));
  const [current] = keys;
  if (!current) throw new Error('AGGREGATOR_JWT_SSL_KEY: required, a PEM private key');
  const kid = String(current.jwk.kid);
  return {
    kid,
    signText: (type, text) =>
      new CompactSign(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: current.algorithm, typ: type, kid })
        .sign(current.key),
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    signFor: (audience, { sub, ...claims }, now, lifeS) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: current.algorithm, typ: tokenTypes.dispatcher, kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(sub)
        .setIssuedAt(now)
        .setExpirationTime(addSeconds(now, lifeS))
        .setJti(newId())
        .sign(current.key),
  };
}

const algorithms = ['ES256', 'RS256', 'EdDSA'];

/** `jose` cannot read the algorithm from the PEM, so each supported algorithm is tried. */
async function importKey(pem: string, index: number): Promise<Key> {
  const variable = index === 0 ? 'AGGREGATOR_JWT_SSL_KEY' : 'AGGREGATOR_JWT_SSL_KEY_SECOND';
  for (const algorithm of algorithms) {
    const key = await importPKCS8(pem, algorithm, { extractable: true }).catch(() => undefined);
    if (key && isLongEnough(key)) return { algorithm, key, jwk: await publicJwk(key, algorithm) };
  }
  throw new Error(
    `${variable}: must be a PKCS 8 key, EC P-256, RSA of 2,048 bits or more, or Ed25519; openssl pkcs8 -topk8 -nodes converts other PEM`,
  );
}

/** `jose` rejects shorter RSA keys, but only at the first signature. */
const isLongEnough = ({ algorithm }: CryptoKey): boolean =>
  !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= 2_048;

async function publicJwk(key: CryptoKey, alg: string): Promise<JWK> {
  const { kty, crv, x, y, n, e } = await exportJWK(key);
  const bare = Object.fromEntries(
    Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined),
  );
  return { ...bare, kid: await calculateJwkThumbprint(bare), alg, use: 'sig' };
}
