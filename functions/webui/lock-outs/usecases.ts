import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  findLockOut,
  type LockOut as LockOutRow,
  liftWiderLock,
  listLockOuts,
} from '../../../db/repositories/identity/access/lock-outs.ts';
import { everyone } from '../../../db/repositories/identity/login/limits.ts';
import { liftLocks } from '../../../db/repositories/identity/login/logins.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { pageAnswer, pageQuery } from '../../../shared/http/declare/list.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import type { WebuiCtx } from '../deps.ts';
import { LockOut, type LockOutQuery } from './schema.ts';

export async function listLocks(ctx: WebuiCtx, query: z.output<typeof LockOutQuery>): Promise<Answer> {
  const { after, ...page } = await pageQuery(ctx, query, undefined);
  const { authenticator, reach } = query;
  const found = await listLockOuts(ctx.deps.db, {
    ...{ now: ctx.now, limit: page.limit, search: page.search, sort: page.sort, authenticator, reach },
    after: after && { key: String(after.key), id: after.id },
  });
  return pageAnswer(ctx, query, { items: found.items.map(viewOf(LockOut)), next: found.next }, undefined);
}

/**
 * Ends a lock-out. The lock-out of a name without a user requires no permissions of a user.
 * @throws AppError `not_found`; `forbidden` with the permissions that the caller lacks
 */
export async function unlock(ctx: WebuiCtx, id: string): Promise<void> {
  const lock = await findLockOut(ctx.deps.db, id, ctx.now);
  if (!lock) throw notFound();
  const isOfAccount = lock.account !== everyone;
  if (!isOfAccount) assertAllPermissions(ctx);
  const power = powerOver(ctx, lock.user_id === null ? [] : [{ user: lock.user_id }]);
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [
      ...power.before(h),
      ...(isOfAccount
        ? [liftLocks(h, lock.account)]
        : liftWiderLock(h, { network: lock.network ?? everyone }, ctx.now)),
      appendAudit(h, auditOf(ctx, lock)),
    ]),
  );
}

/** The limits of a network protect all accounts. */
function assertAllPermissions({ principal }: WebuiCtx): void {
  const missing = permissions.filter((permission) => scopeOf(principal, permission) !== '*').sort();
  if (missing.length > 0)
    throw new AppError('forbidden', 'The caller lacks permissions that the change affects', { missing });
}

const auditOf = (ctx: WebuiCtx, { user_id, user, network, reach, locked_until }: LockOutRow) =>
  auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'unlock',
    ...(user_id !== null && { object_type: 'user' as const, object_id: user_id }),
    object_name: user ?? network ?? everyone,
    changes: [{ field: 'locked_until', before: locked_until?.toISOString() ?? null, after: null }],
    details: { reach, ...(network !== null && { network }) },
  });
