import {
  addChallenge,
  type ChallengeKey,
  type FactorState,
} from '../../../db/repositories/identity/second-factors.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { isId, newId, noId } from '../../kernel/ids.ts';
import type { Account, LoginCtx, OpenAttempt, Proof } from '../login/account.ts';
import { settleAtomically } from '../login/batch.ts';
import { takesPasskeys } from './passkey-support.ts';
import { sealPending } from './secrets.ts';
import { newSecret, uriOf } from './totp.ts';

/** Data for the setup of a device. */
export type Enrolment = { otpauth_uri: string; secret: string };

/** The result of a correct password if a code is required. */
export type Challenge = {
  challengeId: string;
  expiresInS: number;
  methods: FactorMethod[];
  enrolment?: Enrolment;
};

/** A second factor of the portal: a code of an authenticator app, or a passkey. */
export const factorMethods = ['totp', 'passkey'] as const;
type FactorMethod = (typeof factorMethods)[number];

/** Lifetime of a challenge in seconds. */
export const challengeLifeS = 300;

/**
 * Creates a challenge for a code. A user without a device receives a secret, and the first correct code enrols the
 * device. A directory user without a row receives one here, as in a login, because the challenge refers to the row.
 */
export async function giveChallenge(
  ctx: Pick<LoginCtx, 'deps' | 'now'>,
  { key: { network } }: Pick<OpenAttempt, 'key'>,
  { account, settle }: Proof,
  found: FactorState,
): Promise<Challenge> {
  const { factor, siteName } = found;
  const key: ChallengeKey = { id: newId(), userId: account.user.id, network, sessionId: null };
  const secret = factor || found.hasPasskey ? undefined : newSecret();
  const row = await challengeRow(ctx, key, secret);
  await settleAtomically(ctx.deps.db, (h) => [...(settle?.(h) ?? []), ...addChallenge(h, key, row, ctx.now)]);
  return {
    challengeId: key.id,
    expiresInS: challengeLifeS,
    methods: methodsOf(ctx.deps.baseUrl, account, found),
    ...(secret !== undefined && {
      enrolment: enrolmentOf(siteName, account.domain.small_name, account.user.name, secret),
    }),
  };
}

/** The methods that can answer a challenge, or set a second factor up. A recovery code replaces any of them. */
function methodsOf(
  baseUrl: string,
  { domain }: Account,
  { factor, hasPasskey, hasUsablePasskey }: FactorState,
): FactorMethod[] {
  const isEnrolment = !factor && !hasPasskey;
  const usesPasskey = isEnrolment ? takesPasskeys(baseUrl, domain.type) : hasUsablePasskey;
  return factorMethods.filter((method) => (method === 'totp' ? factor || isEnrolment : usesPasskey));
}

/**
 * The challenge of a response, limited to this user and this network. A text that is not a UUID matches no challenge.
 */
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
