import { asAppError } from '../../../db/errors.ts';
import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { type Attempt, everyone } from '../../../db/repositories/identity/login/limits.ts';
import { auditEntry, noteRefusal } from '../../context/audit-entry.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import { problemProperties } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { escapeControls, startOf } from '../../kernel/text.ts';

/** Identifiers of a domain in a request, with the member names of the specification. */
type DomainTried = {
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
};

/** Maximum characters of an unknown domain name in the audit. */
const longestName = 256;

/** The domain identifiers of the request. The domain may not exist, and then `domain` is null. */
const tried = (named: DomainTried): Record<string, string> =>
  Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, escapeControls(startOf(value, longestName))]],
    ),
  );

/** The event of a failed login, with user name and domain as typed. */
export const failedLogin = (
  ctx: ClientCtx<BaseDeps>,
  { username, ...named }: { username: string } & DomainTried,
  known: { domain: { small_name: string }; user: { id: string } | null } | undefined,
): AuditEntry =>
  auditEntry(ctx, {
    event: 'portal.LoginFailed',
    category: 'auth',
    level: 'warning',
    result: 'failure',
    user_name: escapeControls(username),
    user_id: known?.user?.id ?? null,
    domain: known?.domain.small_name ?? null,
    details: { domain_tried: tried(named) },
  });

/**
 * Audits an attempt under a lock or a limit. The number of events is limited, so that continued guessing does not fill
 * the audit. The event of a limit for many accounts names no account.
 * @param lock the row of the lock or limit
 */
export const noteLockedAttempt = (
  ctx: ClientCtx<BaseDeps>,
  lock: Attempt,
  failed: AuditEntry,
): Promise<void> => noteFailure(ctx, lock, lock.account === everyone ? ofMany(failed) : failed, 'locked_out');

function ofMany(failed: AuditEntry): AuditEntry {
  const { domain_tried: _, ...details } = failed.details ?? {};
  return { ...failed, user_name: null, user_id: null, domain: null, details };
}

/** Audits a login that was refused for another reason than a wrong password. `two_factor_required` is excluded. */
export async function noteUnadmitted(
  ctx: ClientCtx<BaseDeps>,
  attempt: Attempt,
  failed: AuditEntry,
  error: unknown,
): Promise<void> {
  const { code } = asAppError(error);
  const isAnswered = [401, 403, 429].includes(problemProperties(code).status) || code.startsWith('upstream_');
  const isRefused = isAnswered && code !== 'two_factor_required';
  if (isRefused) await noteFailure(ctx, attempt, failed, code);
}

const noteFailure = (
  ctx: ClientCtx<BaseDeps>,
  { account, network }: Attempt,
  failed: AuditEntry,
  code: string,
): Promise<void> =>
  noteRefusal(ctx, `${code} ${account} ${network}`, {
    ...failed,
    id: newId(),
    details: { ...failed.details, code, ...limitOf({ account, network }) },
  });

/** The name of the limit of a row. Empty for the lock of an account for one network. */
function limitOf({ account, network }: Attempt): { limit?: string } {
  if (account !== everyone) return network === everyone ? { limit: 'account' } : {};
  return { limit: network === everyone ? 'overall' : 'address' };
}
