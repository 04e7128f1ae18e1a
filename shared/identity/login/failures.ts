import type { AuditEntry } from '../../../db/repositories/audit.ts';
import type { Attempt } from '../../../db/repositories/logins.ts';
import { auditEntry } from '../../http/audit-entry.ts';
import type { BaseDeps, Ctx } from '../../http/context.ts';
import { asAppError } from '../../http/problem.ts';
import { noteRefusal } from '../../http/refusals.ts';
import { codeFacts } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { escapeControls } from '../../kernel/text.ts';

/** The event of a login that failed; the name is that which was typed. */
export const failedLogin = (
  ctx: Ctx<BaseDeps>,
  username: string,
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
  });

/** Audits an attempt under a lock: whoever goes on guessing must not fill the audit. */
export const noteLockedAttempt = (ctx: Ctx<BaseDeps>, attempt: Attempt, failed: AuditEntry): Promise<void> =>
  noteFailure(ctx, attempt, failed, 'locked_out');

/** Audits a login that let nobody in although no password was wrong, unless it is on its way to the second factor. */
export async function noteUnadmitted(
  ctx: Ctx<BaseDeps>,
  attempt: Attempt,
  failed: AuditEntry,
  error: unknown,
): Promise<void> {
  const { code } = asAppError(error);
  const isAnswered = [401, 403, 429].includes(codeFacts(code).status) || code.startsWith('upstream_');
  const isRefused = isAnswered && code !== 'two_factor_required';
  if (isRefused) await noteFailure(ctx, attempt, failed, code);
}

const noteFailure = (
  ctx: Ctx<BaseDeps>,
  { account, network }: Attempt,
  failed: AuditEntry,
  code: string,
): Promise<void> =>
  noteRefusal(ctx, `${code} ${account} ${network}`, { ...failed, id: newId(), details: { code } });
