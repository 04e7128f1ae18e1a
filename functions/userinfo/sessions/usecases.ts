import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endSessionsOf } from '../../../db/repositories/identity/login/sessions.ts';
import { endOwnSession, sessionsAlive } from '../../../db/repositories/identity/login/user-sessions.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { aliveSince, showSession } from '../../../shared/identity/login-sessions.ts';
import type { ListQuery } from '../../../shared/shapes/list.ts';
import type { LoginCtx } from '../deps.ts';

export async function listSessions(ctx: LoginCtx, query: ListQuery): Promise<Answer> {
  const show = showSession(ctx);
  const { session, user } = ctx.principal;
  return answerList(
    ctx,
    sessionsAlive(aliveSince(ctx)),
    query,
    (row) => ({ ...show(row), current: row.id === session.id }),
    user.id,
  );
}

/** @throws AppError `not_found` for a session of another user or an ended session */
export async function endSession(ctx: LoginCtx, id: string): Promise<void> {
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    action: 'end_session',
    object_type: 'session',
    object_id: id,
  });
  await atomically(ctx.deps.db, (h) => [
    ...endOwnSession(h, ctx.principal.user.id, id, aliveSince(ctx)),
    appendAudit(h, audit),
  ]);
}

/** Without other sessions it is still a write, with its audit event. */
export async function endOtherSessions(ctx: LoginCtx): Promise<void> {
  const { user, session } = ctx.principal;
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'end_sessions',
    object_type: 'user',
    object_id: user.id,
    object_name: user.name,
  });
  await atomically(ctx.deps.db, (h) => [endSessionsOf(h, user.id, session.id), appendAudit(h, audit)]);
}
