import { accountKey } from '../../../../../db/repositories/identity/users.ts';
import { AppError } from '../../../../kernel/errors.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { RefusalReason } from '../../../../remotes/directory/password-verdict.ts';
import type { DirectorySession } from '../../../../remotes/directory/port.ts';
import type { Candidate, CheckedPassword, LoginCtx, OpenAttempt } from '../../../login/account.ts';
import { noteUnadmitted } from '../../../login/failures.ts';
import { assertMayTry } from '../../../login/limits.ts';
import { findPerson, type Person } from '../entries/people.ts';
import { membershipsOf } from '../groups/memberships.ts';
import type { DirectoryVariant, TypedParams } from '../variant.ts';
import {
  accountOf,
  audited,
  type DirectoryAnswer,
  type Domain,
  isKeptOut,
  isNameable,
  mayTry,
  readableDomain,
  withinDomain,
} from './account.ts';
import { type AccountState, accountState } from './account-state.ts';
import { directoryName } from './login-domains.ts';
import { nameInDirectory } from './login-name.ts';

/**
 * Checks a password with one bind as the user. An empty password causes no bind. Failures of the directory do not count
 * as failures of the user.
 * @throws AppError `locked_out`, `password_expired` for a correct password that must be changed, `no_registered_group`,
 *   errors of the directory; audited
 */
export async function proveByDirectory(
  variant: DirectoryVariant,
  ctx: LoginCtx,
  attempt: OpenAttempt,
  candidate: Candidate,
  password: string,
): Promise<CheckedPassword> {
  const domain = readableDomain(variant, candidate.domain, attempt.parameters);
  if (!mayTry(candidate) || nameInDirectory(domain.params, attempt.username) === '' || password === '')
    return { attempt, proof: undefined };
  const { own, proved } = await audited(ctx, attempt, () =>
    withinDomain(ctx, domain, (session, params) =>
      checkPassword(ctx, { session, params }, { attempt, candidate, domain, password }),
    ),
  );
  if (proved.verdict === 'accepted')
    return { attempt: own, proof: await accountOf(ctx, own, domain, proved.answer) };
  const reasoned = withReason(own, proved.reason);
  if (proved.verdict === 'refused') return { attempt: reasoned, proof: undefined };
  const error = new AppError('password_expired');
  await noteUnadmitted(ctx, reasoned.key, reasoned.failed, error);
  throw error;
}

type Reason = RefusalReason | 'other_domain';

/** Adds the reason of the directory, if there is one, to the audit event. */
const withReason = (attempt: OpenAttempt, reason: Reason | undefined): OpenAttempt =>
  reason === undefined
    ? attempt
    : { ...attempt, failed: { ...attempt.failed, details: { ...attempt.failed.details, reason } } };

type Login = {
  attempt: OpenAttempt;
  candidate: Candidate;
  domain: Domain;
  password: string;
};
type Proved =
  | { verdict: 'accepted'; answer: DirectoryAnswer }
  | { verdict: 'expired' | 'refused'; reason: Reason | undefined };

const reasons: Readonly<Record<Exclude<AccountState, 'active'>, RefusalReason>> = {
  disabled: 'disabled',
  expired: 'account_expired',
  locked: 'locked',
};

/** Groups are read only after a correct password, so that a wrong one causes little load on the directory. */
async function checkPassword(
  ctx: LoginCtx,
  { session, params }: { session: DirectorySession; params: TypedParams },
  { attempt, candidate, domain, password }: Login,
): Promise<{ own: OpenAttempt; proved: Proved }> {
  const sources = domain.attributes.map(({ source }) => source);
  const named = { id: domain.id, labels: [domain.name, domain.small_name] };
  const name = await directoryName(ctx.deps.directories, { session, params }, named, attempt.username);
  const person = await findPerson(session, params, name, sources);
  const isForeign = name.name === undefined;
  if (!person)
    return { own: attempt, proved: { verdict: 'refused', reason: isForeign ? 'other_domain' : undefined } };
  const own = await byPerson(ctx, attempt, domain.id, person);
  const state = accountState(person.values, ctx.now);
  if (state !== 'active') return { own, proved: { verdict: 'refused', reason: reasons[state] } };
  if (!isNameable(person)) return { own, proved: { verdict: 'refused', reason: undefined } };
  if (isKeptOut(candidate, person)) return { own, proved: { verdict: 'refused', reason: undefined } };
  // Operating systems compose characters differently and send different octets for the same password.
  const verdict = await session.checkPassword(person.dn, password.normalize('NFC'));
  if (verdict.verdict !== 'accepted') return { own, proved: verdict };
  const groups = await membershipsOf(ctx.deps.db, domain.id, { session, params }, person);
  return { own, proved: { verdict: 'accepted', answer: { person, groups } } };
}

/**
 * Assigns the attempt to the account of the person, regardless of the typed name. An account has one failure count,
 * which administrators see and reset.
 * @throws AppError `locked_out`
 */
async function byPerson(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  domainId: string,
  person: Person,
): Promise<OpenAttempt> {
  const account = accountKey(domainId, foldName(person.name));
  if (account === attempt.key.account) return attempt;
  const tried = await assertMayTry(ctx, account, attempt.failed, attempt.factor);
  return { ...attempt, ...tried, alias: attempt.key };
}
