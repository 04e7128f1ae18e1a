import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { clearFailures, noteKnownNetwork } from '../../../db/repositories/identity/login/logins.ts';
import {
  endOldest,
  endSessionOfToken,
  startSession,
} from '../../../db/repositories/identity/login/sessions.ts';
import { newBrowserToken } from '../../access/service-tokens.ts';
import { absoluteAge } from '../../access/session.ts';
import { auditEntry } from '../../context/audit-entry.ts';
import { isServed, portalFor } from '../../context/portal.ts';
import type { RoleGrant } from '../../context/principal.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { randomToken, sha256 } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { escapeControls } from '../../kernel/text.ts';
import type { Account, LoginCtx, LoginOptions, OpenAttempt, Proof } from './account.ts';
import { settleAtomically } from './batch.ts';
import { noteUnadmitted } from './failures.ts';

export type LoginResult = {
  token: string;
  expiresInS: number;
  portal: 'admin' | 'user';
  user: Account['user'];
  domain: Account['domain'];
  roles: RoleGrant[];
};

/**
 * Opens a session for an authenticated user, in one batch with the statements of the proof. A refusal is audited.
 * @throws AppError `forbidden`, `locked_out` if the account was locked in the meantime, and the errors of the
 *   conditions of the proof
 */
export async function admit(
  ctx: LoginCtx,
  options: LoginOptions,
  attempt: OpenAttempt,
  proof: Proof,
): Promise<LoginResult> {
  try {
    return await openSession(ctx, options, attempt, proof);
  } catch (error) {
    await noteUnadmitted(ctx, attempt.key, attempt.failed, error);
    throw error;
  }
}

async function openSession(
  ctx: LoginCtx,
  options: LoginOptions,
  { key, parameters, factor, alias }: OpenAttempt,
  { account: { domain, user, roles }, statements, details, session: prepared }: Proof,
): Promise<LoginResult> {
  const portal = portalOf(ctx, options, roles.length > 0, domain);
  const token = options.inBrowser ? newBrowserToken() : randomToken();
  const id = prepared?.id ?? newId();
  const session = { id, ...sessionOf(ctx, options, user.id, portal, token, parameters['session.idle_s']) };
  const keep = parameters['session.max_per_user'];
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogin',
    category: 'auth',
    actor: 'user',
    user_name: escapeControls(user.name),
    user_id: user.id,
    domain: domain.small_name,
    portal,
    object_type: 'session',
    object_id: session.id,
    details: { platform: session.platform, factor, ...details },
  });
  await settleAtomically(ctx.deps.db, (h) => [
    ...clearFailures(h, key, ctx.now),
    ...(alias ? [noteKnownNetwork(h, alias, ctx.now)] : []),
    ...statements(h),
    ...(options.formerSession === undefined ? [] : [endSessionOfToken(h, options.formerSession)]),
    ...startSession(h, session, { user, domain }),
    ...(prepared?.statements(h) ?? []),
    ...(keep > 0 ? [endOldest(h, user.id, keep)] : []),
    appendAudit(h, audit),
  ]);
  return { token, expiresInS: absoluteAge(parameters, portal), portal, user, domain, roles };
}

/** The row of a new session without its identifier. Only the hash of the token is stored. */
const sessionOf = (
  { client, now }: LoginCtx,
  { platform, locale }: LoginOptions,
  userId: string,
  portal: 'admin' | 'user',
  token: string,
  idleS: number,
) => ({
  token_hash: sha256(token),
  user_id: userId,
  portal,
  source_ip: client.ip,
  user_agent: escapeControls(client.userAgent),
  platform: escapeControls(platform ?? ''),
  locale: locale ?? null,
  created_at: now,
  last_seen_at: now,
  idle_until: addSeconds(now, idleS),
});

/** @throws AppError `forbidden` for users that the domain or the portal does not accept */
function portalOf(
  { deps }: LoginCtx,
  { portal: requested }: LoginOptions,
  isStaff: boolean,
  { subjects }: Account['domain'],
): 'admin' | 'user' {
  if (!isServed(subjects, isStaff))
    throw new AppError('forbidden', 'The domain does not accept logins of this kind of user');
  const portal = portalFor(deps.portalType, isStaff, requested);
  if (portal === undefined) throw new AppError('forbidden', 'The user has no access to this portal');
  return portal;
}
