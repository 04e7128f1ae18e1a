import type { z } from 'zod';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { pathOfPortal, presentSession } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import type { ProviderDomain } from '../../../shared/identity/providers/account.ts';
import { atProvider } from '../../../shared/identity/providers/refusals.ts';
import { randomToken } from '../../../shared/kernel/crypto/digests.ts';
import type { FederationDeps } from '../deps.ts';
import { callbackOf, findDomain, providerOf } from '../provider.ts';
import { type Attempt, attemptCookies, attemptLifeS } from './attempt.ts';
import { notingRefusal } from './noted-refusal.ts';
import type { StartQuery } from './schema.ts';

type Ctx = RequestCtx<FederationDeps>;
export type StartRequest = z.output<typeof StartQuery>;

/**
 * Sends the browser to the provider of a domain. Only a cookie keeps what the answer needs.
 * @throws AppError `not_found`, errors of the provider
 */
export async function startSignIn(ctx: Ctx, id: string, query: StartRequest): Promise<Answer> {
  if (query.language) ctx.language = query.language;
  const domain = await findDomain(ctx, id);
  const attempt = newAttempt(ctx, domain.id, query);
  return sendTo(ctx, attempt, await notingRefusal(ctx, domain, () => requestAt(ctx, domain, attempt, query)));
}

/** The redirection to the provider, with the cookie of the attempt. */
export async function sendTo(
  ctx: Ctx,
  attempt: Attempt,
  { location, answersByForm }: ProviderRequest,
): Promise<Answer> {
  const sameSite = answersByForm ? 'None' : 'Lax';
  const cookies = await attemptCookies(ctx.deps.attemptSealer, attempt, sameSite, ctx.client.cookies());
  return new Answer(undefined, { status: 302, headers: { location }, cookies });
}

type ProviderRequest = { location: string; answersByForm: boolean };

/** @throws AppError errors of the provider */
export async function requestAt(
  ctx: Ctx,
  domain: ProviderDomain,
  { state, nonce, codeVerifier, fresh }: Attempt,
  { login_hint }: StartRequest,
): Promise<ProviderRequest> {
  const { client, answersByForm } = await providerOf(ctx, domain);
  const location = await atProvider(() =>
    ctx.deps.providers.authorizationUrl(
      client,
      {
        ...{ redirectUri: callbackOf(ctx), state, nonce, codeVerifier, loginHint: login_hint },
        ...(answersByForm && { responseMode: 'form_post' }),
        // Not by `prompt`, which the settings may need: some providers issue a refresh token only with `consent`.
        ...(fresh && { maxAge: 0 }),
      },
      ctx.gone(),
    ),
  );
  return { location, answersByForm };
}

export const newAttempt = (
  { now, client }: Ctx,
  domainId: string,
  { next, portal, language, fresh, test }: StartRequest,
): Attempt => ({
  domainId,
  state: randomToken(),
  nonce: randomToken(),
  codeVerifier: randomToken(48),
  next: pathOfPortal(next),
  portal,
  language,
  fresh: fresh === 'true',
  test,
  formerSession: presentSession(client.cookies()),
  expiresAt: now.getTime() + attemptLifeS * 1_000,
});
