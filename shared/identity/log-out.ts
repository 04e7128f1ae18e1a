import { atomically } from '../../db/client.ts';
import { appendAudit } from '../../db/repositories/audit/events.ts';
import { endPeerSession } from '../../db/repositories/identity/login/peer-sessions.ts';
import { hastenCheck } from '../../db/repositories/identity/login/provider-grants.ts';
import { endSession } from '../../db/repositories/identity/login/sessions.ts';
import { auditEntry } from '../context/audit-entry.ts';
import type { BaseDeps, ClientCtx } from '../context/context.ts';
import type { PeerPrincipal, UserPrincipal } from '../context/principal.ts';

/** Ends the session of the caller. */
export async function logOut(
  ctx: ClientCtx<BaseDeps, UserPrincipal | PeerPrincipal>,
): Promise<{ result: 'ok' }> {
  const { principal } = ctx;
  const { id } = principal.session;
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    object_type: 'session',
    object_id: id,
  });
  await atomically(ctx.deps.db, (h) => [
    ...(principal.kind === 'peer' ? [endPeerSession(h, id)] : [hastenCheck(h, id), endSession(h, id)]),
    appendAudit(h, audit),
  ]);
  return { result: 'ok' };
}
