import { noteLogin } from '../../../../db/repositories/identity/login/logins.ts';
import {
  type Account,
  type Candidate,
  type LoginCtx,
  type OpenAttempt,
  type Proof,
  placeOf,
} from '../../login/account.ts';

/**
 * Checks a password against the stored hash. Every refusal takes the time of one hash, also for a domain or a user that
 * does not exist.
 * @throws AppError `overloaded`
 */
export async function proveStoredPassword(
  { deps: { hasher }, now }: LoginCtx,
  attempt: OpenAttempt,
  candidate: Candidate | undefined,
  password: string,
): Promise<Proof | undefined> {
  const place = placeOf(attempt);
  const hash = mayLogIn(candidate) ? candidate.user.password_hash : null;
  const isRight = await hasher.verify(password, hash, place);
  if (!isRight || hash === null || !mayLogIn(candidate)) return undefined;
  const rehashed = hasher.isOutdated(hash) ? await hasher.hash(password, place) : undefined;
  return { account: candidate, statements: (h) => noteLogin(h, candidate.user, now, rehashed) };
}

/** True for a person who can log in, in a domain that is not disabled. */
export const mayLogIn = (candidate: Candidate | undefined): candidate is Account =>
  candidate?.user != null &&
  candidate.user.state === 'active' &&
  candidate.user.kind === 'person' &&
  candidate.domain.state !== 'disabled';
