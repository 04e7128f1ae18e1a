import { Buffer } from 'node:buffer';
import { atomically } from '../../../db/client.ts';
import { addChallenge, takeChallenge } from '../../../db/repositories/identity/login/pkinit.ts';
import { randomToken, sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import type { UnsignedRequest } from '../../remotes/kerberos/request.ts';
import type { LoginCtx } from '../login/account.ts';
import type { CardName } from './certificate-names.ts';
import { findRealm } from './realm.ts';

/** The state of a login by certificate between its calls. */
type ChallengeState = CardName & {
  /** The certificate in DER. `chain` contains the DER of the other certificates of the request. */
  certificate: Buffer;
  chain: readonly Buffer[];
  drafted: UnsignedRequest;
  cookie: Buffer | undefined;
  /** The KDC request and its response, if already sent. The KDC is called once. */
  exchanged: { request: Buffer; response: Buffer } | undefined;
};

/** A challenge that was deleted from the database on read. No other request can use it. */
export type Challenge = {
  token: string;
  domainId: string;
  /** Time of the database. */
  begunAt: Date;
  expiresAt: Date;
  state: ChallengeState;
};

export const newChallengeToken = (): string => randomToken();

/**
 * Stores the encrypted state until it expires. Only the token identifies it. Without `begunAt`, the challenge begins
 * now.
 */
export async function keep(
  { deps, now }: LoginCtx,
  { token, domainId, ...rest }: Omit<Challenge, 'begunAt'> & Partial<Challenge>,
): Promise<void> {
  const token_hash = sha256(token);
  const text = JSON.stringify(rest.state, (_, value: unknown) => asText(value));
  const sealed_state = await deps.sealer.seal(text, placeOf(token_hash));
  const row = { token_hash, authenticator_id: domainId, sealed_state, expires_at: rest.expiresAt };
  const begun = rest.begunAt && { begun_at: rest.begunAt };
  await atomically(deps.db, (h) => addChallenge(h, { ...row, ...begun }, now));
}

/**
 * Reads and deletes the challenge, regardless of the result of the login.
 * @throws AppError `login_expired` for a challenge of another domain, a used or an expired one; as `findRealm`
 */
export async function take({ deps, now }: LoginCtx, domainId: string, token: string): Promise<Challenge> {
  const token_hash = sha256(token);
  const row = await takeChallenge(deps.db, { token_hash, authenticator_id: domainId }, now);
  if (!row) {
    await findRealm(deps.db, domainId);
    throw new AppError('login_expired');
  }
  const text = await deps.sealer.open(row.sealed_state, placeOf(token_hash));
  const state = JSON.parse(text, (_, value: unknown) => asBytes(value)) as ChallengeState;
  return { token, domainId, begunAt: row.begun_at, expiresAt: row.expires_at, state };
}

const placeOf = (row: string) => ({ table: 'pkinit_challenges', row, column: 'sealed_state' });

/** `JSON.stringify` passes a buffer to the replacer as the result of its `toJSON`. */
const asText = (value: unknown): unknown =>
  isBufferJson(value) ? { base64: Buffer.from(value.data).toString('base64') } : value;

const asBytes = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'base64' in value && typeof value.base64 === 'string'
    ? Buffer.from(value.base64, 'base64')
    : value;

const isBufferJson = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Buffer' &&
  'data' in value &&
  Array.isArray(value.data);
