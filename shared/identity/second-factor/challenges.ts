import {
  addChallenge,
  type ChallengeKey,
  type FactorState,
} from '../../../db/repositories/identity/second-factors.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { isId, newId, noId } from '../../kernel/ids.ts';
import type { Account, LoginCtx, OpenAttempt, Proof } from '../login/account.ts';
import { settleAtomically } from '../login/batch.ts';
import { sealPending } from './secrets.ts';
import { newSecret, uriOf } from './totp.ts';

/** What a device is set up by. */
export type Enrolment = { otpauth_uri: string; secret: string };

/** What a right password gives whose owner owes a code. */
export type Challenge = { challengeId: string; expiresInS: number; enrolment?: Enrolment };

/** How long a challenge waits for its code. */
export const challengeLifeS = 300;

/**
 * Asks for a code; a user who has no device is given a secret for one, which his first right code makes his. Whom only his
 * directory knew becomes a user by it, as he would by a login: there is somebody then whom the challenge is about.
 */
export async function giveChallenge(
  ctx: Pick<LoginCtx, 'deps' | 'now'>,
  { key: { network } }: Pick<OpenAttempt, 'key'>,
  { account, settle }: Proof,
  { factor, siteName }: FactorState,
): Promise<Challenge> {
  const key: ChallengeKey = { id: newId(), userId: account.user.id, network, sessionId: null };
  const secret = factor ? undefined : newSecret();
  const row = await challengeRow(ctx, key, secret);
  await settleAtomically(ctx.deps.db, (h) => [...(settle?.(h) ?? []), ...addChallenge(h, key, row, ctx.now)]);
  return {
    challengeId: key.id,
    expiresInS: challengeLifeS,
    ...(secret !== undefined && {
      enrolment: enrolmentOf(siteName, account.domain.small_name, account.user.name, secret),
    }),
  };
}

/** The challenge that an answer names, of this user and from this network only; what is no UUID names none. */
export const namedChallenge = (
  { key: { network } }: OpenAttempt,
  { user }: Account,
  id: string | undefined,
): ChallengeKey | undefined =>
  id === undefined ? undefined : { id: isId(id) ? id : noId, userId: user.id, network, sessionId: null };

export const challengeRow = async (
  { deps: { sealer }, now }: Pick<LoginCtx, 'deps' | 'now'>,
  { id }: ChallengeKey,
  secret: string | undefined,
) => ({
  sealed_secret: secret === undefined ? null : await sealPending(sealer, secret, id),
  expires_at: addSeconds(now, challengeLifeS),
});

export const enrolmentOf = (
  siteName: string | null,
  domain: string,
  user: string,
  secret: string,
): Enrolment => ({
  otpauth_uri: uriOf(siteName || 'Aggregator portal', `${domain}/${user}`, secret),
  secret,
});
