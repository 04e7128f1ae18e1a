import { atomically } from '../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../db/repositories/audit.ts';
import { endOldest, startSession } from '../../db/repositories/login-sessions.ts';
import {
  type Attempt,
  appendLockEvent,
  clearFailures,
  type DomainNames,
  findCandidates,
  findLock,
  noteLogin,
  recordFailure,
} from '../../db/repositories/logins.ts';
import { accountKey } from '../../db/repositories/users.ts';
import type { RoleGrant } from '../access/actor.ts';
import { isServed, portalFor } from '../access/portal.ts';
import { absoluteAge } from '../access/session.ts';
import { auditEntry } from '../http/audit-entry.ts';
import type { BaseDeps, Ctx } from '../http/context.ts';
import { randomToken, sha256 } from '../kernel/digests.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { isId, newId, noId } from '../kernel/ids.ts';
import { networkOf } from '../kernel/networks.ts';
import { type Parameters, parametersFrom } from '../kernel/system-parameters.ts';
import { escapeControls, foldName } from '../kernel/text.ts';
import { failedLogin, noteLockedAttempt, noteUnadmitted } from './failed-logins.ts';
import type { Hasher } from './passwords.ts';

export type LoginDeps = BaseDeps & { hasher: Hasher };
type LoginCtx = Ctx<LoginDeps>;

/** A login as the specification has it, identifiers of the domain in its own spelling. */
export type LoginRequest = {
  username: string;
  password: string;
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
  portal?: 'admin' | 'user' | undefined;
  platform?: string | undefined;
  locale?: string | undefined;
};

type Candidate = Awaited<ReturnType<typeof findCandidates>>[number];
type Account = Candidate & { user: NonNullable<Candidate['user']> };

export type LoginResult = {
  token: string;
  expiresInS: number;
  portal: 'admin' | 'user';
  user: Account['user'];
  domain: Account['domain'];
  roles: RoleGrant[];
};

/**
 * Logs a user of an internal domain in. Whatever is wrong, the refusal is the same and takes the same time.
 * @throws AppError `invalid_credentials`, `locked_out`, `overloaded`; after a right password `two_factor_required`
 * and `forbidden`; `invalid_request` when identifiers name two different domains
 */
export async function logIn(ctx: LoginCtx, request: LoginRequest): Promise<LoginResult> {
  const names = domainNames(request);
  const userKey = foldName(request.username);
  const candidates = await findCandidates(ctx.deps.db, names, userKey);
  const candidate = theOne(candidates, names);
  const account = accountKey(candidate?.domain.id ?? `unknown:${sha256(JSON.stringify(names))}`, userKey);
  const attempt: Attempt = { account, network: networkOf(ctx.client.ip) };
  const lock = await findLock(ctx.deps.db, attempt, ctx.now);
  const failed = failedLogin(ctx, request.username, candidate);
  if (lock.lockedUntil) {
    await noteLockedAttempt(ctx, attempt, failed);
    throw lockedOut(lock.lockedUntil, ctx.now);
  }
  const parameters = parametersFrom(lock.parameters);
  const hash = mayLogIn(candidate) ? candidate.user.password_hash : null;
  const isRight = await ctx.deps.hasher.verify(request.password, hash);
  if (!isRight || hash === null || !mayLogIn(candidate)) return refuse(ctx, attempt, failed, parameters);
  try {
    return await admitUser(ctx, request, attempt, candidate, parameters);
  } catch (error) {
    await noteUnadmitted(ctx, attempt, failed, error);
    throw error;
  }
}

const domainNames = ({ authId, auth, authSmallName }: LoginRequest): DomainNames => ({
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

const mayLogIn = (candidate: Candidate | undefined): candidate is Account =>
  candidate?.user != null &&
  candidate.user.state === 'active' &&
  candidate.user.kind === 'person' &&
  candidate.domain.state !== 'disabled' &&
  candidate.domain.type === 'internal';

const lockedOut = (until: Date, now: Date): AppError =>
  new AppError('locked_out', undefined, { retry_after_s: (until.getTime() - now.getTime()) / 1000 });

/** Counts the failure and writes its event; the lock that it may bring has an event of its own. */
async function refuse(
  ctx: LoginCtx,
  attempt: Attempt,
  failed: AuditEntry,
  parameters: Parameters,
): Promise<never> {
  const rules = { maxTries: parameters['lockout.max_tries'], blockS: parameters['lockout.block_s'] };
  const locked = {
    ...failed,
    id: newId(),
    event: 'portal.UserLocked',
    details: { network: attempt.network },
  };
  const [[counted]] = (await atomically(ctx.deps.db, (h) => [
    recordFailure(h, attempt, ctx.now, rules),
    appendAudit(h, failed),
    appendLockEvent(h, attempt, ctx.now, locked),
  ])) as [{ lockedUntil: Date | null }[]];
  if (counted === undefined) throw new AppError('locked_out');
  throw new AppError('invalid_credentials');
}

async function admitUser(
  ctx: LoginCtx,
  request: LoginRequest,
  attempt: Attempt,
  { domain, user, roles }: Account,
  parameters: Parameters,
): Promise<LoginResult> {
  if (domain.two_factor) throw new AppError('two_factor_required');
  const portal = portalOf(ctx, request, roles.length > 0, domain);
  const token = randomToken();
  const session = sessionOf(ctx, request, user.id, portal, token);
  const { hasher } = ctx.deps;
  const rehashed = hasher.isOutdated(user.password_hash ?? '')
    ? await hasher.hash(request.password)
    : undefined;
  const keep = parameters['session.max_per_user'];
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogin',
    category: 'auth',
    user_name: escapeControls(user.name),
    user_id: user.id,
    domain: domain.small_name,
    portal,
    object_type: 'session',
    object_id: session.id,
    details: { platform: session.platform },
  });
  await atomically(ctx.deps.db, (h) => [
    ...clearFailures(h, attempt, ctx.now),
    ...noteLogin(h, user, ctx.now, rehashed),
    startSession(h, session),
    ...(keep > 0 ? [endOldest(h, user.id, keep)] : []),
    appendAudit(h, audit),
  ]);
  return { token, expiresInS: absoluteAge(parameters, portal), portal, user, domain, roles };
}

/** The row of a new session; of its token only the hash. */
const sessionOf = (
  { client, now }: LoginCtx,
  request: LoginRequest,
  userId: string,
  portal: 'admin' | 'user',
  token: string,
) => ({
  id: newId(),
  token_hash: sha256(token),
  user_id: userId,
  portal,
  source_ip: client.ip,
  user_agent: escapeControls(client.userAgent),
  platform: escapeControls(request.platform ?? ''),
  locale: request.locale ?? null,
  created_at: now,
  last_seen_at: now,
});

/** @throws AppError `forbidden` for whom the domain does not serve, or the portal */
function portalOf(
  { deps }: LoginCtx,
  { portal: asked }: LoginRequest,
  isStaff: boolean,
  { subjects }: Account['domain'],
): 'admin' | 'user' {
  if (!isServed(subjects, isStaff)) throw new AppError('forbidden', 'This domain does not serve such users');
  const portal = portalFor(deps.portalType, isStaff, asked);
  if (portal === undefined) throw new AppError('forbidden', 'The user may not use this portal');
  return portal;
}
