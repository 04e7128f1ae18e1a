import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endSessionsOf } from '../../../db/repositories/identity/login/sessions.ts';
import { mustHaveUser, sessionsAlive } from '../../../db/repositories/identity/login/user-sessions.ts';
import type { OwnerPath } from '../../../db/repositories/identity/service-tokens.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { aliveSince, showSession } from '../../../shared/identity/login-sessions.ts';
import type { ListQuery } from '../../../shared/shapes/list.ts';
import type { WebuiCtx } from '../deps.ts';

export const listSessions = (
  ctx: WebuiCtx,
  { domainId, userId }: OwnerPath,
  query: ListQuery,
): Promise<Answer> =>
  answerList(ctx, sessionsAlive(aliveSince(ctx), domainId), query, showSession(ctx), userId);

/** @throws AppError `not_found`; `forbidden` with the permissions that the user has and the caller lacks */
export async function endSessions(ctx: WebuiCtx, owner: OwnerPath): Promise<void> {
  const power = powerOver(ctx, [{ user: owner.userId }]);
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'end_sessions',
    object_type: 'user',
    object_id: owner.userId,
  });
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [
      mustHaveUser(h, owner),
      ...power.before(h),
      endSessionsOf(h, owner.userId),
      appendAudit(h, audit),
    ]),
  );
}
