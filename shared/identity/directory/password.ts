import { AppError } from '../../kernel/errors.ts';
import type { RefusalReason } from '../../remotes/directory/judgement.ts';
import type { DirectorySession } from '../../remotes/directory/port.ts';
import type { DirectoryParams } from '../domains/catalogue.ts';
import { type Candidate, type LoginCtx, type OpenAttempt, refuseAttempt } from '../login/attempt.ts';
import { noteUnadmitted } from '../login/failures.ts';
import { accountOf, type DirectoryProof, isOut, mayTry } from './account.ts';
import type { DirectoryGroup } from './group-search.ts';
import { nameIn } from './login-name.ts';
import { membershipsOf } from './memberships.ts';
import { findPerson, type Person } from './people.ts';
import { withinDirectory } from './settings.ts';

type Login = { name: string; typed: string; password: string; sources: readonly string[] };

/**
 * Has a directory check a password: one bind as the user, and none without a password. The directory's own failures are
 * no failures of the user.
 * @returns undefined for whoever is not who he says he is
 * @throws AppError `invalid_credentials`, `locked_out`, `password_expired` for a right password that must be changed,
 * `no_registered_group`, those of the directory; audited
 */
export async function proveByDirectory(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  candidate: Candidate,
  password: string,
): Promise<DirectoryProof | undefined> {
  const { domain } = candidate;
  const name = nameIn(domain, attempt.username);
  if (!mayTry(candidate) || name === '' || password === '') return undefined;
  const sources = domain.attributes.map(({ source }) => source);
  const login = { name, typed: attempt.username.trim(), password, sources };
  const proved = await audited(ctx, attempt, () => ask(ctx, domain, login));
  if (proved.verdict === 'accepted') return accountOf(ctx, attempt, domain, proved);
  const reasoned = withReason(attempt, proved.reason);
  if (proved.verdict === 'refused') return refuseAttempt(ctx, reasoned);
  const error = new AppError('password_expired');
  await noteUnadmitted(ctx, reasoned.key, reasoned.failed, error);
  throw error;
}

/** The audit says why, as far as the directory does. */
const withReason = (attempt: OpenAttempt, reason: RefusalReason | undefined): OpenAttempt =>
  reason === undefined
    ? attempt
    : { ...attempt, failed: { ...attempt.failed, details: { ...attempt.failed.details, reason } } };

type Proved =
  | { verdict: 'accepted'; person: Person; groups: DirectoryGroup[] }
  | { verdict: 'expired' | 'refused'; reason: RefusalReason | undefined };

function ask(ctx: LoginCtx, domain: Candidate['domain'], login: Login): Promise<Proved> {
  const sealed = domain.params.bind_password;
  const row = { ...domain, sealed_password: typeof sealed === 'string' ? sealed : null };
  return withinDirectory(ctx.deps, row, (session, params) =>
    prove(ctx, { session, params, domainId: domain.id }, login),
  );
}

/** Groups are read only when the password is right: a wrong one must cost the directory little. */
async function prove(
  { deps, now }: LoginCtx,
  { session, params, domainId }: { session: DirectorySession; params: DirectoryParams; domainId: string },
  { name, typed, password, sources }: Login,
): Promise<Proved> {
  const person = await findPerson(session, params, { name, typed }, sources);
  if (!person) return { verdict: 'refused', reason: undefined };
  if (isOut(person, now)) return { verdict: 'refused', reason: 'disabled' };
  // Systems that compose characters differently send different octets for what is one password to its owner.
  const judgement = await session.judge(person.dn, password.normalize('NFC'));
  if (judgement.verdict !== 'accepted') return judgement;
  const groups = await membershipsOf(deps.db, domainId, { session, params }, person);
  return { verdict: 'accepted', person, groups };
}

async function audited<T>(ctx: LoginCtx, { key, failed }: OpenAttempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await noteUnadmitted(ctx, key, failed, error);
    throw error;
  }
}
