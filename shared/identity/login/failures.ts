import { asAppError } from '../../../db/errors.ts';
import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { type Attempt, everyone } from '../../../db/repositories/identity/login/limits.ts';
import { auditEntry, noteRefusal } from '../../context/audit-entry.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import { problemProperties } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { escapeControls } from '../../kernel/text.ts';

/** How a caller names a domain, in the spelling of the specification. */
type DomainTried = {
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
};

/** More of a name that no domain has is of no use. */
const longestName = 256;

/** The domain as it was named in the request: it may not exist, and then `domain` is null. */
const tried = (named: DomainTried): Record<string, string> =>
  Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, escapeControls(value.slice(0, longestName))]],
    ),
  );

/** The event of a login that failed; the name and the domain tried are as they were typed. */
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
 * Audits an attempt under a lock or a limit: whoever goes on guessing must not fill the audit. What is counted for many
 * accounts names none of them.
 * @param lock the row that stands in the way
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

/** Audits a login that let nobody in although no password was wrong, unless it is on its way to the second factor. */
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

/** Which limit a row stands for, unless it is the lock of an account for a network. */
function limitOf({ account, network }: Attempt): { limit?: string } {
  if (account !== everyone) return network === everyone ? { limit: 'account' } : {};
  return { limit: network === everyone ? 'overall' : 'address' };
}
