import type { z } from 'zod';
import { spendPendingLogin } from '../../../db/repositories/identity/login/providers.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { sessionCookie } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import type { Proof } from '../../../shared/identity/login/account.ts';
import { twoFactorAnswer } from '../../../shared/identity/login/answers.ts';
import { finishByTwoFactors } from '../../../shared/identity/login.ts';
import { proveByProvider } from '../../../shared/identity/providers/account.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { message } from '../../../shared/messages/message.ts';
import type { FederationDeps } from '../deps.ts';
import { findProvider } from '../provider.ts';
import { providerMark } from '../provider-mark.ts';
import { pendingLoginOf, withoutPendingLogin } from './pending-login.ts';
import type { ConfirmAnswer, SecondFactorBody } from './schema.ts';

/**
 * Finishes a sign-in by a provider with a second factor of the portal.
 * @throws AppError `login_expired`; `forbidden` for a request of another site; those of a login
 */
export async function finishWithFactor(
  ctx: RequestCtx<FederationDeps>,
  body: z.output<typeof SecondFactorBody>,
): Promise<Answer<z.input<typeof ConfirmAnswer>>> {
  if (!ctx.client.isOwnPage())
    throw new AppError(
      'forbidden',
      message('Browsers can sign in only on pages of {url}', { url: ctx.deps.baseUrl }),
    );
  const { login, options, tokenHash, domainId, begunAt } = await pendingLoginOf(ctx);
  const { domain, rules } = await findProvider(ctx, domainId);
  const { attempt, proof } = await proveByProvider(ctx, domain, rules, login);
  assertNotEnded(proof, begunAt);
  const spending: Proof = {
    ...proof,
    statements: (h) => [...spendPendingLogin(h, tokenHash, ctx.now), ...proof.statements(h)],
  };
  const result = await finishByTwoFactors(ctx, { ...options, ...body }, attempt, spending);
  const answer = twoFactorAnswer(result);
  if (answer.result === 'challenge') return new Answer({ ...answer, username: proof.account.user.name });
  const { token, ...shown } = answer;
  return new Answer(shown, { cookies: [sessionCookie(token), providerMark.set, withoutPendingLogin] });
}

/** @throws AppError `login_expired` if the user or the domain was disabled after the login began, even if enabled again */
function assertNotEnded({ account: { user, domain } }: Proof, begunAt: Date): void {
  for (const endedAt of [user.access_ended_at, domain.access_ended_at])
    if (endedAt !== null && begunAt <= endedAt) throw new AppError('login_expired');
}
