import { noteLogin } from '../../../db/repositories/identity/login/logins.ts';
import { proveByDirectory } from '../domains/directory/login/password.ts';
import {
  type Account,
  type Candidate,
  type Judged,
  type LoginCtx,
  type OpenAttempt,
  type Proof,
  placeOf,
} from './attempt.ts';

/**
 * Checks the password where the domain keeps it. Whatever is wrong, there is no proof; where passwords are kept here, after
 * the same time. The attempt that comes back is the one that counts: a directory knows an account by several names.
 * @throws AppError `overloaded`; of a directory also `no_registered_group` and its own failures
 */
export async function provePassword(ctx: LoginCtx, attempt: OpenAttempt, password: string): Promise<Judged> {
  const { candidate } = attempt;
  if (candidate && candidate.domain.type !== 'internal')
    return proveByDirectory(ctx, attempt, candidate, password);
  return { attempt, proof: await proveHere(ctx, attempt, password) };
}

async function proveHere(
  { deps: { hasher }, now }: LoginCtx,
  attempt: OpenAttempt,
  password: string,
): Promise<Proof | undefined> {
  const { candidate } = attempt;
  const place = placeOf(attempt);
  const hash = mayLogIn(candidate) ? candidate.user.password_hash : null;
  const isRight = await hasher.verify(password, hash, place);
  if (!isRight || hash === null || !mayLogIn(candidate)) return undefined;
  const rehashed = hasher.isOutdated(hash) ? await hasher.hash(password, place) : undefined;
  return { account: candidate, statements: (h) => noteLogin(h, candidate.user, now, rehashed) };
}

const mayLogIn = (candidate: Candidate | undefined): candidate is Account =>
  candidate?.user != null &&
  candidate.user.state === 'active' &&
  candidate.user.kind === 'person' &&
  candidate.domain.state !== 'disabled' &&
  candidate.domain.type === 'internal';
