import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { deletePasskey, findUserPasskey } from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { powerOver } from '../../../shared/context/privileges.ts';
import { conflict, notFound } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';

/**
 * Revokes a passkey of another user. It requires all permissions of the user, like a reset of the second factor.
 * @throws AppError `not_found`; `invalid_state` for the own account; `forbidden` with the missing permissions
 */
export async function revokePasskey(ctx: WebuiCtx, userId: string, id: string): Promise<void> {
  if (userId === ownerOf(ctx.principal).id)
    throw conflict(
      'own_account',
      'You cannot change the state, kind, password, second factor or roles of your own account here',
    );
  const found = await findUserPasskey(ctx.deps.db, userId, id);
  if (!found) throw notFound();
  const power = powerOver(ctx, [{ user: userId }]);
  const audit = auditEntry(ctx, {
    event: 'portal.EntityAction',
    category: 'auth',
    action: 'remove_passkey',
    object_type: 'user',
    object_id: userId,
    object_name: found.user,
    details: { passkey_id: id, passkey: found.name },
  });
  await power.explained(() =>
    atomically(ctx.deps.db, (h) => [
      ...power.before(h),
      ...deletePasskey(h, userId, id),
      appendAudit(h, audit),
    ]),
  );
}
