import type { z } from 'zod';
import { useOnce } from '../../../db/repositories/identity/login/providers.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { sessionCookie } from '../../../shared/http/pages/own-pages.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import type { LoginOptions } from '../../../shared/identity/login/account.ts';
import { admit } from '../../../shared/identity/login/admission.ts';
import { finishByTwoFactors } from '../../../shared/identity/login.ts';
import { proveByProvider } from '../../../shared/identity/providers/account.ts';
import { atProvider } from '../../../shared/identity/providers/refusals.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { CodeExchange, ProviderLogin } from '../../../shared/remotes/oidc/port.ts';
import type { FederationDeps } from '../deps.ts';
import { movedOnPage } from '../moved-on-page.ts';
import { callbackOf, findProvider, type Provider } from '../provider.ts';
import { providerMark } from '../provider-mark.ts';
import { type Attempt, attemptLifeS, attemptOf, withoutAttempt } from './attempt.ts';
import { notingRefusal } from './noted-refusal.ts';
import { pageAfter } from './page-after.ts';
import { waitForFactor } from './pending-login.ts';
import type { CallbackAnswer } from './schema.ts';
import { resultOfTest, shownTest } from './test-sign-in.ts';

type Ctx = RequestCtx<FederationDeps>;
type ProviderAnswer = z.output<typeof CallbackAnswer>;

/**
 * Opens the browser session of a person after the authentication at the provider. The response is a page that opens the next
 * one, because the browser would not send the cookie of the session along a chain of redirects from another site.
 * @throws AppError `login_expired` for an answer that this browser has not asked for, errors of the provider, and those
 *   of a login
 */
export async function finishSignIn(ctx: Ctx, answer: ProviderAnswer): Promise<Document> {
  const attempt = await takeAttempt(ctx, answer.state);
  ctx.language = attempt.language ?? ctx.language;
  if (attempt.test !== undefined) return finishTest(ctx, attempt, attempt.test, answer);
  const provider = await findProvider(ctx, attempt.domainId);
  const answered = await notingRefusal(ctx, provider.domain, () => exchange(ctx, provider, attempt, answer));
  // Only a sign-in that was asked for proves the presence: another one may have happened without a question.
  const login = { ...answered, authTime: attempt.fresh ? answered.authTime : undefined };
  const done = withoutAttempt(attempt, provider.answersByForm ? 'None' : 'Lax');
  const { attempt: tried, proof } = await proveByProvider(ctx, provider.domain, provider.rules, login);
  const options: LoginOptions = {
    portal: attempt.portal,
    locale: attempt.language,
    platform: 'browser',
    inBrowser: true,
    formerSession: attempt.formerSession,
  };
  const result = login.secondFactor
    ? await admit(ctx, options, tried, proof)
    : await finishByTwoFactors(ctx, options, tried, proof);
  if ('token' in result)
    return movedOnPage(ctx, pageAfter(result, attempt.next), [
      done,
      sessionCookie(result.token),
      providerMark.set,
    ]);
  const waiting = await waitForFactor(ctx, provider.domain.id, { login, options });
  const next = new URLSearchParams({ ...(attempt.next && { next: attempt.next }), step: 'factor' });
  return movedOnPage(ctx, `/signin?${next}`, [done, waiting]);
}

/** @throws AppError `login_expired` for another browser, and for a state that has expired or was used */
async function takeAttempt(ctx: Ctx, state: string): Promise<Attempt> {
  const { attemptSealer, db } = ctx.deps;
  const attempt = await attemptOf(attemptSealer, ctx.client.cookies(), state, ctx.now);
  if (!attempt) throw expired();
  const digest = sha256(`state ${attempt.domainId} ${state}`);
  const isFirst = await useOnce(db, { digest, keptUntil: new Date(attempt.expiresAt) }, ctx.now);
  if (!isFirst) throw expired();
  return attempt;
}

const expired = (): AppError =>
  new AppError('login_expired', 'The sign-in was not started in this browser, or has expired');

/** A test shows what the provider has sent, whatever the portal decides about it. */
async function finishTest(
  ctx: Ctx,
  attempt: Attempt,
  test: string,
  answer: ProviderAnswer,
): Promise<Document> {
  let byForm = false;
  const result = await resultOfTest(ctx, async (onClaims) => {
    const provider = await findProvider(ctx, attempt.domainId);
    byForm = provider.answersByForm;
    return { provider, login: await exchange(ctx, provider, attempt, answer, onClaims) };
  });
  return shownTest(ctx, { domainId: attempt.domainId, test }, result, [
    withoutAttempt(attempt, byForm ? 'None' : 'Lax'),
  ]);
}

const exchange = (
  ctx: Ctx,
  { client }: Provider,
  { state, nonce, codeVerifier, fresh }: Attempt,
  answer: ProviderAnswer,
  onClaims?: CodeExchange['onClaims'],
): Promise<ProviderLogin> => {
  const present = Object.entries(answer).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const callback = new URLSearchParams(present);
  const redirectUri = callbackOf(ctx);
  return atProvider(() =>
    ctx.deps.providers.exchange(
      client,
      {
        ...{ callback, redirectUri, state, nonce, codeVerifier, onClaims },
        // The answer must say when the person has authenticated.
        ...(fresh && { maxAge: attemptLifeS }),
      },
      ctx.gone(),
    ),
  );
};
