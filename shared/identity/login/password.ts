import type { Db, Statement } from '../../../db/client.ts';
import { noteLogin } from '../../../db/repositories/logins.ts';
import { proveByDirectory } from '../directory/password.ts';
import { type Account, type Candidate, type LoginCtx, type OpenAttempt, placeOf } from './attempt.ts';

/** The account that was proved, and what the batch that opens the session must write, or find still true. */
export type Proof = {
  account: Account;
  statements(h: Db): Statement[];
  /** What makes the row of a user of a directory, for a batch before that one. */
  settle?(h: Db): Statement[];
  /** What the event of the login says besides. */
  details?: Record<string, unknown>;
};

/** An attempt with its proof, undefined if it was wrong. */
export type Judged = { attempt: OpenAttempt; proof: Proof | undefined };

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
