import { Buffer } from 'node:buffer';
import { spendPasskeyChallenge } from '../../../db/repositories/identity/passkeys/challenges.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';

type ChallengeCtx = Pick<Ctx<BaseDeps>, 'deps' | 'now'>;

/**
 * The ceremony that a challenge belongs to: a sign-in without a password, the second factor of a login, or the
 * registration of a session or a login. `id` is the session or the login.
 */
export type Purpose =
  | { ceremony: 'sign_in' }
  | { ceremony: 'second_factor' | 'login_registration' | 'own_registration'; id: string };

/** Lifetime of a challenge in seconds. */
export const challengeLifeS = 300;

/** A challenge after its check. `userHandle` is the handle that a registration proposed to the authenticator. */
export type OpenChallenge = { userHandle: string };

/**
 * Creates a challenge. It is encrypted text that only this installation can create, so nothing is stored before it is
 * presented. The initialization vector makes it unique and unpredictable.
 */
export async function newChallenge(ctx: ChallengeCtx, purpose: Purpose, userHandle = ''): Promise<string> {
  const expiresAt = addSeconds(ctx.now, challengeLifeS).getTime();
  const sealed = await ctx.deps.cursorSealer.seal(`${expiresAt} ${userHandle}`, placeOf(purpose));
  return Buffer.from(sealed).toString('base64url');
}

/** Checks a presented challenge and records it. @returns undefined if it is wrong, expired or was presented before */
export async function spendChallenge(
  ctx: ChallengeCtx,
  purpose: Purpose,
  challenge: string,
): Promise<OpenChallenge | undefined> {
  const opened = await openChallenge(ctx, purpose, challenge);
  if (!opened || opened.expiresAt <= ctx.now) return undefined;
  const isFirst = await spendPasskeyChallenge(ctx.deps.db, sha256(challenge), opened.expiresAt);
  return isFirst ? opened : undefined;
}

async function openChallenge({ deps: { cursorSealer } }: ChallengeCtx, purpose: Purpose, challenge: string) {
  const bytes = Buffer.from(challenge, 'base64url');
  // Another spelling of the same bytes would be another challenge for the check of a second use.
  if (bytes.toString('base64url') !== challenge) return undefined;
  const text = await cursorSealer.open(bytes.toString('utf8'), placeOf(purpose)).catch(() => undefined);
  const [expiresAt, userHandle = ''] = text?.split(' ') ?? [];
  return expiresAt === undefined ? undefined : { expiresAt: new Date(Number(expiresAt)), userHandle };
}

/** A challenge is sealed for its ceremony. No table has it. */
const placeOf = (purpose: Purpose) => ({
  table: purpose.ceremony,
  row: 'id' in purpose ? purpose.id : '',
  column: 'challenge',
});
