import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { allSessions, findSessionOwner } from '../../../db/repositories/identity/access/login-sessions.ts';
import { endOwnSession } from '../../../db/repositories/identity/login/user-sessions.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { aliveSince, showSession } from '../../../shared/identity/login-sessions.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { escapeControls } from '../../../shared/kernel/text.ts';
import type { ListQuery } from '../../../shared/shapes/list.ts';
import type { WebuiCtx } from '../deps.ts';

export function listSessions(ctx: WebuiCtx, query: ListQuery): Promise<Answer> {
  const { principal } = ctx;
  const own = principal.kind === 'user' ? principal.session.id : undefined;
  const show = showSession(ctx);
  return answerList(ctx, allSessions(aliveSince(ctx)), query, (row) => {
    const { user_id, user, authenticator_id, authenticator_name } = row;
    return { ...show(row), user_id, user, authenticator_id, authenticator_name, current: row.id === own };
  });
}

/** @throws AppError `not_found`; `forbidden` with the permissions that the user has and the caller lacks */
export async function endSession(ctx: WebuiCtx, id: string): Promise<void> {
  const owner = await findSessionOwner(ctx.deps.db, id);
  if (!owner) throw notFound();
  const power = powerOver(ctx, [{ user: owner.userId }]);
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'end_session',
    object_type: 'session',
    object_id: id,
    details: { user: escapeControls(owner.user), user_id: owner.userId },
  });
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [
      ...power.before(h),
      ...endOwnSession(h, owner.userId, id, aliveSince(ctx)),
      appendAudit(h, audit),
    ]),
  );
}
