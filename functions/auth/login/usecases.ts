import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit.ts';
import { endSession } from '../../../db/repositories/login-sessions.ts';
import { assertLoggedIn, type SignedIn } from '../../../shared/access/actor.ts';
import { auditEntry } from '../../../shared/http/audit-entry.ts';
import type { Ctx } from '../../../shared/http/context.ts';
import type { LoginResult } from '../../../shared/identity/login/admission.ts';
import {
  type LoginRequest,
  logIn,
  logInByTwoFactors,
  type TwoFactorLoginRequest,
} from '../../../shared/identity/login.ts';
import { version } from '../../../shared/kernel/version.ts';
import type { AuthDeps } from '../deps.ts';
import type { LoginAnswer, TwoFactorLoginAnswer } from './schema.ts';

export const answerLogin = async (
  ctx: Ctx<AuthDeps>,
  request: LoginRequest,
): Promise<z.input<typeof LoginAnswer>> => showLogin(await logIn(ctx, request));

export async function answerTwoFactorLogin(
  ctx: Ctx<AuthDeps>,
  request: TwoFactorLoginRequest,
): Promise<z.input<typeof TwoFactorLoginAnswer>> {
  const result = await logInByTwoFactors(ctx, request);
  if ('token' in result) {
    const { recoveryCodes, ...login } = result;
    return { ...showLogin(login), ...(recoveryCodes && { recovery_codes: recoveryCodes }) };
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

/** @throws AppError `invalid_state` for a service token, which is revoked and does not log out */
export async function logOut(ctx: Ctx<AuthDeps, SignedIn>): Promise<{ result: 'ok' }> {
  assertLoggedIn(ctx.actor);
  const { id } = ctx.actor.session;
  const audit = auditEntry(ctx, {
    event: 'portal.UserLogout',
    category: 'auth',
    object_type: 'session',
    object_id: id,
  });
  await atomically(ctx.deps.db, (h) => [endSession(h, id), appendAudit(h, audit)]);
  return { result: 'ok' };
}

const showLogin = ({
  token,
  expiresInS,
  portal,
  user,
  domain,
  roles,
}: LoginResult): z.input<typeof LoginAnswer> => ({
  result: 'ok',
  token,
  version,
  expires_in: expiresInS,
  user: {
    id: user.id,
    name: user.name,
    real_name: user.real_name,
    domain: domain.small_name,
    portal,
    roles: roles.map(({ name }) => name),
    must_change_password: user.must_change_password,
  },
});
