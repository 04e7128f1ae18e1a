import type { DirectorySession } from '../../remotes/directory/port.ts';
import type { DirectoryParams } from '../domains/catalogue.ts';
import type { Candidate, LoginCtx, OpenAttempt } from '../login/attempt.ts';
import { noteUnadmitted } from '../login/failures.ts';
import { accountOf, type DirectoryProof, isOut, mayTry } from './account.ts';
import { type DirectoryGroup, groupsOf } from './group-search.ts';
import { nameIn } from './login-name.ts';
import { findPerson, type Person } from './people.ts';
import { withinDirectory } from './settings.ts';

type Login = { name: string; typed: string; password: string; sources: readonly string[] };

/**
 * Has a directory check a password: one bind as the user, and none without a password. The directory's own failures are
 * no failures of the user.
 * @returns undefined for whoever is not who he says he is
 * @throws AppError `no_registered_group`, those of the directory; audited
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
  const known = await audited(ctx, attempt, () => ask(ctx, domain, login));
  return known && accountOf(ctx, attempt, domain, known);
}

function ask({ deps, now }: LoginCtx, domain: Candidate['domain'], login: Login) {
  const sealed = domain.params.bind_password;
  const row = { ...domain, sealed_password: typeof sealed === 'string' ? sealed : null };
  return withinDirectory(deps, row, (session, params) => prove(session, params, login, now));
}

/** His groups are read only when the password is right: a wrong one must cost the directory little. */
async function prove(
  session: DirectorySession,
  params: DirectoryParams,
  { name, typed, password, sources }: Login,
  now: Date,
): Promise<{ person: Person; groups: DirectoryGroup[] } | undefined> {
  const person = await findPerson(session, params, { name, typed }, sources);
  if (!person || isOut(person, now) || !(await session.accepts(person.dn, password))) return undefined;
  return { person, groups: await groupsOf(session, params, person) };
}

async function audited<T>(ctx: LoginCtx, { key, failed }: OpenAttempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await noteUnadmitted(ctx, key, failed, error);
    throw error;
  }
}
