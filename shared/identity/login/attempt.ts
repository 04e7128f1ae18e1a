import { atomically } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit.ts';
import {
  type Attempt,
  appendLockEvent,
  type DomainNames,
  findCandidates,
  findLock,
  recordFailure,
} from '../../../db/repositories/logins.ts';
import { accountKey } from '../../../db/repositories/users.ts';
import type { BaseDeps, Ctx } from '../../http/context.ts';
import { sha256 } from '../../kernel/digests.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { isId, newId, noId } from '../../kernel/ids.ts';
import { networkOf } from '../../kernel/networks.ts';
import { type Parameters, parametersFrom } from '../../kernel/system-parameters.ts';
import { foldName } from '../../kernel/text.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import { nameIn, namesIn } from '../directory/login-name.ts';
import type { Hasher } from '../passwords.ts';
import { failedLogin, noteLockedAttempt } from './failures.ts';

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
};

/** A domain that was named, and its user of the name, if there is one. */
export type Candidate = Awaited<ReturnType<typeof findCandidates>>[number];
export type Account = Candidate & { user: NonNullable<Candidate['user']> };

/** A login under way, before anything is proved; the account is not locked for the network. */
export type OpenAttempt = {
  username: string;
  candidate: Candidate | undefined;
  key: Attempt;
  /** The audit event of its failure. */
  failed: AuditEntry;
  parameters: Parameters;
};

/**
 * Finds whom a login is about, and whether he may try now.
 * @throws AppError `locked_out`; `invalid_request` when identifiers name two different domains
 */
export async function openAttempt(ctx: LoginCtx, named: NamedDomain, username: string): Promise<OpenAttempt> {
  const names = domainNames(named);
  const candidates = await findCandidates(ctx.deps.db, names, namesIn(username));
  const candidate = theOne(candidates, names);
  const userKey = candidate ? nameIn(candidate.domain, username) : foldName(username);
  const account = accountKey(candidate?.domain.id ?? `unknown:${sha256(JSON.stringify(names))}`, userKey);
  const key: Attempt = { account, network: networkOf(ctx.client.ip) };
  const lock = await findLock(ctx.deps.db, key, ctx.now);
  const failed = failedLogin(ctx, username, candidate);
  if (lock.lockedUntil) {
    await noteLockedAttempt(ctx, key, failed);
    throw lockedOut(lock.lockedUntil, ctx.now);
  }
  return { username, candidate, key, failed, parameters: parametersFrom(lock.parameters) };
}

/**
 * Counts the failure and writes its event; the lock that it may bring has an event of its own.
 * @throws AppError always: `invalid_credentials`, or `locked_out` when the account was locked meanwhile
 */
export async function refuseAttempt(ctx: LoginCtx, { key, failed, parameters }: OpenAttempt): Promise<never> {
  const rules = { maxTries: parameters['lockout.max_tries'], blockS: parameters['lockout.block_s'] };
  const locked = { ...failed, id: newId(), event: 'portal.UserLocked', details: { network: key.network } };
  const [[counted]] = (await atomically(ctx.deps.db, (h) => [
    recordFailure(h, key, ctx.now, rules),
    appendAudit(h, failed),
    appendLockEvent(h, key, ctx.now, locked),
  ])) as [{ lockedUntil: Date | null }[]];
  if (counted === undefined) throw new AppError('locked_out');
  throw new AppError('invalid_credentials');
}

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
      detail: 'authId, auth and authSmallName must name the same domain',
    });
  }
  const agrees =
    (id === undefined || first?.domain.id === id) &&
    (nameKey === undefined || first?.domain.name_key === nameKey) &&
    (labelKey === undefined || first?.domain.small_name_key === labelKey);
  return agrees ? first : undefined;
}

const lockedOut = (until: Date, now: Date): AppError =>
  new AppError('locked_out', undefined, { retry_after_s: (until.getTime() - now.getTime()) / 1000 });
