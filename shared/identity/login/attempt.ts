import { type DomainNames, findCandidates } from '../../../db/repositories/identity/login/logins.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { AppError, type ErrorCode, invalid } from '../../kernel/errors.ts';
import { isId, noId } from '../../kernel/ids.ts';
import { foldName } from '../../kernel/text.ts';
import { nameInDirectory } from '../domains/directory/login/login-name.ts';
import type { NameReading } from '../domains/domain-type.ts';
import { domainTypeOf, typesWhere } from '../domains/registry.ts';
import type { Candidate, LoginCtx, NamedDomain, OpenAttempt } from './account.ts';
import { failedLogin } from './failures.ts';
import { assertMayTry, countAttempt, type Factor, type Tried } from './limits.ts';
import { namesIn } from './user-names.ts';

/**
 * Finds the account of a login and checks that no lock or limit applies.
 * @param isOwner the attempt belongs to a session of the user
 * @throws AppError `locked_out`; `invalid_request` if the identifiers name two different domains
 */
export async function openAttempt(
  ctx: LoginCtx,
  named: NamedDomain,
  username: string,
  factor: Factor = 'password',
  isOwner = false,
): Promise<OpenAttempt> {
  const names = domainNames(named);
  const candidates = await findCandidates(ctx.deps.db, names, namesIn(username), typesNamedAsTyped);
  const candidate = theOne(candidates, names);
  const userKey = candidate ? nameIn(candidate.domain, username) : foldName(username);
  const isGuess = candidate !== undefined && (isOwner || canProve(candidate, factor));
  const account = accountKey(
    isGuess ? candidate.domain.id : `unknown:${sha256(JSON.stringify(names))}`,
    userKey,
  );
  const { authId, auth, authSmallName } = named;
  const failed = failedLogin(ctx, { username, authId, auth, authSmallName }, candidate);
  const tried = await assertMayTry(ctx, account, failed, factor);
  return { ...tried, username, candidate };
}

/** A password proves nothing in a domain with an identity provider, so wrong ones must not lock an account of it. */
const canProve = ({ domain }: Candidate, factor: Factor): boolean =>
  factor !== 'password' || domainTypeOf(domain.type).login.proof === 'password';

/**
 * Counts the failure and writes its event. A resulting lock has its own event.
 * @param code error code of a failed authentication of this kind
 * @throws AppError always: `code`, or `locked_out` if the account was locked in the meantime
 */
export async function refuseAttempt(
  ctx: ClientCtx<BaseDeps>,
  tried: Tried,
  code: ErrorCode = 'invalid_credentials',
): Promise<never> {
  const isCounted = await countAttempt(ctx, tried);
  throw new AppError(isCounted ? code : 'locked_out');
}

/** Types whose login names are used as typed, for the statement that finds the user of a name. */
export const typesNamedAsTyped = typesWhere(({ login }) => login.names === 'as_typed');

const nameReaders: Readonly<Record<NameReading, (params: Record<string, unknown>, typed: string) => string>> =
  {
    as_typed: (_, typed) => namesIn(typed).typed,
    in_directory: nameInDirectory,
  };

/** The folded login name under which failures are counted. The statement that finds the user uses the same rule. */
const nameIn = ({ type, params }: Candidate['domain'], typed: string): string =>
  nameReaders[domainTypeOf(type).login.names](params, typed);

const domainNames = ({ authId, auth, authSmallName }: NamedDomain): DomainNames => ({
  id: authId === undefined ? undefined : idOr(authId),
  nameKey: auth === undefined ? undefined : foldName(auth),
  labelKey: authSmallName === undefined ? undefined : foldName(authSmallName),
});

/** A text that is not a UUID must be indistinguishable from the identifier of a missing domain. */
const idOr = (text: string): string => (isId(text) ? text.toLowerCase() : noId);

/**
 * The domain that all identifiers name. An identifier without a match has the same response as a wrong password.
 * Otherwise a caller could detect a hidden domain with the identifiers of another one.
 * @throws AppError `invalid_request` if the identifiers name different domains
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
