import type { Db, Statement } from '../../../db/client.ts';
import { type DomainNames, findCandidates } from '../../../db/repositories/identity/login/logins.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import type { BaseDeps, Ctx } from '../../http/context.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError, type ErrorCode, invalid } from '../../kernel/errors.ts';
import { isId, noId } from '../../kernel/ids.ts';
import { foldName } from '../../kernel/text.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { nameIn, namesIn } from '../directory/login-name.ts';
import type { Hasher, Place } from '../passwords.ts';
import { failedLogin } from './failures.ts';
import { assertMayTry, countAttempt, type Factor, type Tried } from './limits.ts';

export type LoginDeps = BaseDeps & { hasher: Hasher; directories: DirectoryRemote };
export type LoginCtx = Ctx<LoginDeps>;

/** The domain of a login as the specification has it, identifiers in its own spelling. */
export type NamedDomain = {
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
};

/** What a client says of itself and of what it wants, whatever it proves who it is by. */
export type LoginWishes = {
  portal?: 'admin' | 'user' | undefined;
  platform?: string | undefined;
  locale?: string | undefined;
  /** The session is one of a browser: its token goes into a cookie, and is of no use elsewhere. */
  inBrowser?: boolean | undefined;
};

/** A domain that was named, and its user of the name, if there is one. */
export type Candidate = Awaited<ReturnType<typeof findCandidates>>[number];
export type Account = Candidate & { user: NonNullable<Candidate['user']> };

/** A login under way, before anything is proved; neither a lock nor a limit stands in its way. */
export type OpenAttempt = Tried & {
  username: string;
  candidate: Candidate | undefined;
  /** The key of the name that was typed, if the directory knows the account by another one. */
  alias?: Tried['key'];
};

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
 * Finds whom a login is about, and whether he may try now.
 * @throws AppError `locked_out`; `invalid_request` when identifiers name two different domains
 */
export async function openAttempt(
  ctx: LoginCtx,
  named: NamedDomain,
  username: string,
  factor: Factor = 'password',
): Promise<OpenAttempt> {
  const names = domainNames(named);
  const candidates = await findCandidates(ctx.deps.db, names, namesIn(username));
  const candidate = theOne(candidates, names);
  const userKey = candidate ? nameIn(candidate.domain, username) : foldName(username);
  const account = accountKey(candidate?.domain.id ?? `unknown:${sha256(JSON.stringify(names))}`, userKey);
  const { authId, auth, authSmallName } = named;
  const failed = failedLogin(ctx, { username, authId, auth, authSmallName }, candidate);
  const tried = await assertMayTry(ctx, account, failed, factor);
  return { ...tried, username, candidate };
}

/**
 * Counts the failure and writes its event; a lock that it brings has an event of its own.
 * @param code what a wrong proof of this kind is answered with
 * @throws AppError always: `code`, or `locked_out` when the account was locked meanwhile
 */
export async function refuseAttempt(
  ctx: Ctx<BaseDeps>,
  tried: Tried,
  code: ErrorCode = 'invalid_credentials',
): Promise<never> {
  const isCounted = await countAttempt(ctx, tried);
  throw new AppError(isCounted ? code : 'locked_out');
}

/** Where the hash of an attempt stands in line. */
export const placeOf = ({ isKnown, key }: Tried): Place => ({
  line: isKnown ? 'known' : 'unknown',
  owner: key.network,
});

const domainNames = ({ authId, auth, authSmallName }: NamedDomain): DomainNames => ({
  id: authId === undefined ? undefined : idOr(authId),
  nameKey: auth === undefined ? undefined : foldName(auth),
  labelKey: authSmallName === undefined ? undefined : foldName(authSmallName),
});

/** What is no UUID names no domain, but must not be told apart from one that does not exist. */
const idOr = (text: string): string => (isId(text) ? text.toLowerCase() : noId);

/**
 * The domain that all given identifiers name; one that names nothing is not told apart from a wrong password, or a
 * hidden domain could be found by naming another one beside it.
 * @throws AppError `invalid_request` when they name different domains
 */
function theOne(
  candidates: readonly Candidate[],
  { id, nameKey, labelKey }: DomainNames,
): Candidate | undefined {
  const [first, ...others] = candidates;
  if (others.length > 0) {
    throw invalid({
      pointer: '',
      code: 'different_domains',
      detail: 'authId, auth and authSmallName must identify the same domain',
    });
  }
  const agrees =
    (id === undefined || first?.domain.id === id) &&
    (nameKey === undefined || first?.domain.name_key === nameKey) &&
    (labelKey === undefined || first?.domain.small_name_key === labelKey);
  return agrees ? first : undefined;
}
