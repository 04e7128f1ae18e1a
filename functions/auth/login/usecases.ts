import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { endPeerSession } from '../../../db/repositories/identity/login/peer-sessions.ts';
import { endSession } from '../../../db/repositories/identity/login/sessions.ts';
import { auditEntry } from '../../../shared/context/audit-entry.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import type { PeerPrincipal, UserPrincipal } from '../../../shared/context/principal.ts';
import { logInByTwoFactors, type TwoFactorLoginRequest } from '../../../shared/identity/login.ts';
import type { AuthDeps } from '../deps.ts';
import { loginAnswer } from '../login-answer.ts';
import type { TwoFactorLoginAnswer } from './schema.ts';

export async function answerTwoFactorLogin(
  ctx: ClientCtx<AuthDeps>,
  request: TwoFactorLoginRequest,
): Promise<z.input<typeof TwoFactorLoginAnswer>> {
  const result = await logInByTwoFactors(ctx, request);
  if ('token' in result) {
    const { recoveryCodes, ...login } = result;
    return { ...loginAnswer(login), ...(recoveryCodes && { recovery_codes: recoveryCodes }) };
  }
  const { challengeId, expiresInS, enrolment } = result;
  return {
    result: 'challenge',
    challenge_id: challengeId,
    method: 'totp',
    expires_in: expiresInS,
    ...(enrolment && { enrolment }),
  };
}

export async function logOut(
  ctx: ClientCtx<AuthDeps, UserPrincipal | PeerPrincipal>,
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
    principal.kind === 'peer' ? endPeerSession(h, id) : endSession(h, id),
    appendAudit(h, audit),
  ]);
  return { result: 'ok' };
}
