import { Buffer } from 'node:buffer';
import { atomically } from '../../../db/client.ts';
import { addChallenge, takeChallenge } from '../../../db/repositories/identity/login/pkinit.ts';
import { randomToken, sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import type { UnsignedRequest } from '../../remotes/kerberos/request.ts';
import type { LoginCtx } from '../login/account.ts';
import type { CardName } from './card-names.ts';
import { findRealm } from './realm.ts';

/** A login by certificate between its calls. */
export type ChallengeState = CardName & {
  /** DER, and that of the certificates that came with it. */
  certificate: Buffer;
  chain: readonly Buffer[];
  drafted: UnsignedRequest;
  cookie: Buffer | undefined;
  /** What was asked and answered already, if it was: the KDC is asked once. */
  exchanged: { request: Buffer; response: Buffer } | undefined;
};

/** A challenge in our hands; nobody else has it any more. */
export type Challenge = {
  token: string;
  domainId: string;
  /** By the clock of the database. */
  begunAt: Date;
  expiresAt: Date;
  state: ChallengeState;
};

export const newChallengeToken = (): string => randomToken();

/** Seals the state and keeps it until it expires; the token alone names it. One without `begunAt` begins now. */
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
 * Takes the challenge away, whatever becomes of it.
 * @throws AppError `login_expired` for one that is of another domain, was taken before or is too old; as `findRealm`
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

/** A buffer reaches a replacer as what its own `toJSON` gives. */
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
