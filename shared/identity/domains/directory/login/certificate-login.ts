import { noteUncheckedLogin } from '../../../../../db/repositories/identity/login/pkinit.ts';
import { AppError, type ErrorCode } from '../../../../kernel/errors.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { Account, Candidate, LoginCtx, OpenAttempt, Proof } from '../../../login/account.ts';
import type { CardHolder } from '../../domain-type.ts';
import { findPerson } from '../entries/people.ts';
import { membershipsOf } from '../groups/memberships.ts';
import type { DirectoryVariant } from '../variant.ts';
import {
  accountOf,
  audited,
  type DirectoryAnswer,
  type Domain,
  isNameable,
  readableDomain,
  withinDomain,
} from './account.ts';
import { type AccountState, accountState } from './account-state.ts';
import { isOfDirectory } from './identity.ts';

/** Error codes for an unusable account. The KDC has accepted the card, so the holder may learn the reason. */
const refusals: Readonly<Record<Exclude<AccountState, 'active'>, ErrorCode>> = {
  disabled: 'account_disabled',
  expired: 'account_expired',
  locked: 'account_locked',
};

/**
 * The account of a user whose card the KDC has accepted. The account step is the same as for a password.
 * @param graceH hours after a login verified by the directory in which the same card is accepted while the directory is
 *   unreachable
 * @returns undefined for a user who is not in the directory, or whose account an administrator has deactivated
 * @throws AppError `account_*`, `upstream_unavailable`, and those of `accountOf`; audited
 */
export async function certificateAccount(
  variant: DirectoryVariant,
  ctx: LoginCtx,
  attempt: OpenAttempt,
  candidate: Candidate,
  holder: CardHolder,
  graceH: number,
): Promise<Proof | undefined> {
  const domain = readableDomain(variant, candidate.domain, attempt.parameters);
  const lookup = await audited(ctx, attempt, async () => {
    try {
      return { answer: await lookUpAccount(ctx, domain, holder) };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return { unchecked: unchecked(ctx, candidate, holder, graceH, error) };
    }
  });
  if (lookup.unchecked) return lookup.unchecked;
  return lookup.answer && accountOf(ctx, attempt, domain, lookup.answer);
}

/** True if the directory did not respond. A refusal is a response. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'upstream_timeout' ||
    (error.code === 'upstream_failed' && error.members.reason === 'unreachable'));

/**
 * Accepts the card of the last login that the directory verified. The batch of the login checks the condition again.
 * @throws AppError `upstream_unavailable` for every other card
 */
function unchecked(
  { now }: LoginCtx,
  candidate: Candidate,
  { fingerprint }: CardHolder,
  graceH: number,
  cause: unknown,
): Proof {
  const since = new Date(now.getTime() - graceH * 3_600_000);
  const { user } = candidate;
  const isKnown =
    user?.card_fingerprint === fingerprint &&
    isOfDirectory(user, candidate.domain) &&
    user.directory_checked_at !== null &&
    user.directory_checked_at > since;
  if (!user || !isKnown)
    throw new AppError('upstream_unavailable', 'The directory of the domain is unreachable', {}, { cause });
  const account: Account = { ...candidate, user };
  return {
    account,
    statements: (h) => noteUncheckedLogin(h, { userId: user.id, fingerprint, since }, now),
    details: { directory: 'unverified' },
  };
}

const lookUpAccount = (
  ctx: LoginCtx,
  domain: Domain,
  { username, upn, fingerprint }: CardHolder,
): Promise<DirectoryAnswer | undefined> =>
  withinDomain(ctx, domain, async (session, params) => {
    const sources = domain.attributes.map(({ source }) => source);
    const person = await findPerson(
      session,
      params,
      { name: foldName(username), typed: upn ?? username },
      sources,
    );
    if (!person || !isNameable(person)) return undefined;
    const state = accountState(person.values, ctx.now);
    if (state !== 'active') throw new AppError(refusals[state]);
    return {
      person,
      groups: await membershipsOf(ctx.deps.db, domain.id, { session, params }, person),
      card: fingerprint,
    };
  });
