import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { endOwnSession, sessionsAlive } from '../../../db/repositories/user-sessions.ts';
import { assertLoggedIn } from '../../../shared/access/actor.ts';
import type { Answer } from '../../../shared/http/answer.ts';
import { auditEntry } from '../../../shared/http/audit-entry.ts';
import { answerList, type ListQuery } from '../../../shared/http/list.ts';
import { aliveSince, showSession } from '../../../shared/identity/login-sessions.ts';
import type { UserinfoCtx } from '../deps.ts';

/** @throws AppError `invalid_state` for a service token, whose user has no sessions */
export async function listSessions(ctx: UserinfoCtx, query: ListQuery): Promise<Answer> {
  assertLoggedIn(ctx.actor);
  const show = showSession(ctx);
  const { session, user } = ctx.actor;
  return answerList(
    ctx,
    sessionsAlive(aliveSince(ctx)),
    query,
    (row) => ({ ...show(row), current: row.id === session.id }),
    user.id,
  );
}

/** @throws AppError `not_found` for a session that is not the caller's, or has ended; `invalid_state` as above */
export async function endSession(ctx: UserinfoCtx, id: string): Promise<void> {
  assertLoggedIn(ctx.actor);
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    action: 'end_session',
    object_type: 'session',
    object_id: id,
  });
  await atomically(ctx.deps.db, (h) => [
    ...endOwnSession(h, ctx.actor.user.id, id, aliveSince(ctx)),
    appendAudit(h, audit),
  ]);
}
