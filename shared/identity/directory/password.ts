import { accountKey } from '../../../db/repositories/users.ts';
import { foldName } from '../../kernel/text.ts';
import type { DirectorySession } from '../../remotes/directory/port.ts';
import type { DirectoryParams } from '../domains/catalogue.ts';
import type { Candidate, Judged, LoginCtx, OpenAttempt } from '../login/attempt.ts';
import { assertMayTry } from '../login/limits.ts';
import {
  accountOf,
  audited,
  type DirectoryAnswer,
  isKeptOut,
  isOut,
  mayTry,
  withinDomain,
} from './account.ts';
import { groupsOf } from './group-search.ts';
import { nameIn } from './login-name.ts';
import { findPerson, type Person } from './people.ts';

/**
 * Has a directory check a password: one bind as the user, and none without a password. The directory's own failures are
 * no failures of the user.
 * @throws AppError `locked_out`, `no_registered_group`, those of the directory; audited
 */
export async function proveByDirectory(
  ctx: LoginCtx,
  attempt: OpenAttempt,
  candidate: Candidate,
  password: string,
): Promise<Judged> {
  const { domain } = candidate;
  const name = nameIn(domain, attempt.username);
  if (!mayTry(candidate) || name === '' || password === '') return { attempt, proof: undefined };
  const { own, answer } = await audited(ctx, attempt, () =>
    withinDomain(ctx, domain, (session, params) =>
      judge(ctx, session, params, { attempt, candidate, name, password }),
    ),
  );
  const proof = answer && (await accountOf(ctx, own, domain, answer));
  return { attempt: own, proof };
}

type Login = { attempt: OpenAttempt; candidate: Candidate; name: string; password: string };

/** The groups are read only when the password is right: a wrong one must cost the directory little. */
async function judge(
  ctx: LoginCtx,
  session: DirectorySession,
  params: DirectoryParams,
  { attempt, candidate, name, password }: Login,
): Promise<{ own: OpenAttempt; answer?: DirectoryAnswer }> {
  const { domain } = candidate;
  const sources = domain.attributes.map(({ source }) => source);
  const person = await findPerson(session, params, { name, typed: attempt.username.trim() }, sources);
  if (!person) return { own: attempt };
  const own = await byPerson(ctx, attempt, domain.id, person);
  if (isOut(person, ctx.now) || isKeptOut(candidate, person)) return { own };
  if (!(await session.accepts(person.dn, password))) return { own };
  return { own, answer: { person, groups: await groupsOf(session, params, person) } };
}

/**
 * The attempt as one at the account of the person, whichever name was typed: an account has one count of failures, which
 * administrators see and lift.
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
