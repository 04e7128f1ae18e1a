import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose';
import type { TokenType } from './token-types.ts';

/** A public key of a peer as a JSON Web Key (RFC 7517). */
export type PeerKey = { kty: string; kid: string } & Partial<
  Record<'alg' | 'crv' | 'x' | 'y' | 'n' | 'e', string | undefined>
>;

/** The reason why a peer token is rejected. It is written to the audit log and not returned to the caller. */
export type PeerTokenReason =
  | 'malformed'
  | 'algorithm'
  | 'unknown_issuer'
  | 'unknown_key'
  | 'bad_key'
  | 'bad_signature'
  | 'expired'
  | 'too_long'
  | 'used_before'
  | `claim_${string}`;

export class PeerTokenFault extends Error {
  readonly reason: PeerTokenReason;

  constructor(reason: PeerTokenReason, options?: ErrorOptions) {
    super(`a peer token was rejected: ${reason}`, options);
    this.name = 'PeerTokenFault';
    this.reason = reason;
  }
}

/** Unverified members of a token. */
export type ClaimedToken = { issuer: string; kid: string; algorithm: string };
export type ProvenToken = {
  jti: string;
  expiresAt: Date;
  /** All claims of the token. */
  claims: Readonly<Record<string, unknown>>;
};

const kinds: Readonly<Record<string, { kty: string; crv: string | undefined }>> = {
  RS256: { kty: 'RSA', crv: undefined },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

const skewS = 30;
const longestLifeS = 600;
const longestText = 256;

/** @throws PeerTokenFault if the text is not a token or its algorithm is not supported */
export function readPeerToken(jwt: string): ClaimedToken {
  const { header, payload } = decoded(jwt);
  const { alg: algorithm, kid } = header;
  if (algorithm === undefined || !Object.hasOwn(kinds, algorithm)) throw new PeerTokenFault('algorithm');
  if (typeof kid !== 'string') throw new PeerTokenFault('unknown_key');
  if (typeof payload.iss !== 'string') throw new PeerTokenFault('unknown_issuer');
  return { issuer: payload.iss, kid, algorithm };
}

/** Values that a verifier requires in a token. */
export type Expected = { typ: TokenType; audience: string; now: Date };

/**
 * Checks the signature, the purpose and every claim of a token. The subject must be the issuer: an issuer can also sign
 * tokens about its users, and such a token must not authenticate the issuer.
 * @throws PeerTokenFault
 */
export async function provePeerToken(
  jwt: string,
  { issuer, algorithm }: ClaimedToken,
  key: PeerKey,
  { typ, audience, now }: Expected,
): Promise<ProvenToken> {
  const verified = await jwtVerify(jwt, await importPeerKey(key, algorithm), {
    algorithms: [algorithm],
    typ,
    issuer,
    subject: issuer,
    audience,
    currentDate: now,
    clockTolerance: skewS,
    maxTokenAge: longestLifeS,
    requiredClaims: ['exp', 'jti'],
  }).catch(refuse);
  const { jti, aud, iat = 0, exp = 0 } = verified.payload;
  if (exp - iat > longestLifeS || exp < iat) throw new PeerTokenFault('too_long');
  // Each recipient of a token with several audiences could replay it here.
  if (Array.isArray(aud) && aud.length !== 1) throw new PeerTokenFault('claim_aud');
  return {
    jti: textClaim('jti', jti),
    expiresAt: new Date(exp * 1000),
    claims: verified.payload,
  };
}

/** @throws PeerTokenFault if the key is invalid or does not match the algorithm */
export async function importPeerKey(key: PeerKey, algorithm = algorithmOf(key)): Promise<CryptoKey> {
  const kind = kinds[algorithm];
  const fits = kind && key.kty === kind.kty && key.crv === kind.crv && (key.alg ?? algorithm) === algorithm;
  if (!fits) throw new PeerTokenFault('bad_key');
  try {
    const { kty, crv, x, y, n, e } = key;
    const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
    const imported = await importJWK({ ...Object.fromEntries(members), kty }, algorithm);
    if (!(imported instanceof Uint8Array) && isLongEnough(imported)) return imported;
  } catch (cause) {
    throw new PeerTokenFault('bad_key', { cause });
  }
  throw new PeerTokenFault('bad_key');
}

/** RFC 7518, section 3.3, requires RSA keys of at least 2048 bits. */
const isLongEnough = ({ algorithm }: CryptoKey): boolean =>
  !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= 2048;

const algorithmOf = ({ kty }: PeerKey): string =>
  Object.entries(kinds).find(([, kind]) => kind.kty === kty)?.[0] ?? '';

function decoded(jwt: string): { header: { alg?: string; kid?: unknown }; payload: JWTPayload } {
  try {
    return { header: decodeProtectedHeader(jwt), payload: decodeJwt(jwt) };
  } catch (cause) {
    throw new PeerTokenFault('malformed', { cause });
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof errors.JWTExpired) throw new PeerTokenFault('expired', { cause });
  if (cause instanceof errors.JWTClaimValidationFailed)
    throw new PeerTokenFault(`claim_${cause.claim}`, { cause });
  if (cause instanceof errors.JWSSignatureVerificationFailed)
    throw new PeerTokenFault('bad_signature', { cause });
  if (cause instanceof errors.JOSEError) throw new PeerTokenFault('malformed', { cause });
  throw cause;
}

function textClaim(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= longestText) return value;
  throw new PeerTokenFault(`claim_${name}`);
}
