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
type Query = z.output<typeof StartQuery>;

/**
 * Sends the browser to the provider of a domain. Only a cookie keeps what the answer needs.
 * @throws AppError `not_found`, errors of the provider
 */
export async function startSignIn(ctx: Ctx, id: string, query: Query): Promise<Answer> {
  if (query.language) ctx.language = query.language;
  const domain = await findDomain(ctx, id);
  const attempt = newAttempt(ctx, domain.id, query);
  const { location, answersByForm } = await notingRefusal(ctx, domain, () =>
    request(ctx, domain, attempt, query),
  );
  const sameSite = answersByForm ? 'None' : 'Lax';
  const cookies = await attemptCookies(ctx.deps.attemptSealer, attempt, sameSite, ctx.client.cookies());
  return new Answer(undefined, { status: 302, headers: { location }, cookies });
}

async function request(
  ctx: Ctx,
  domain: ProviderDomain,
  { state, nonce, codeVerifier }: Attempt,
  { login_hint }: Query,
): Promise<{ location: string; answersByForm: boolean }> {
  const { client, answersByForm } = await providerOf(ctx, domain);
  const location = await atProvider(() =>
    ctx.deps.providers.authorizationUrl(
      client,
      {
        ...{ redirectUri: callbackOf(ctx), state, nonce, codeVerifier, loginHint: login_hint },
        ...(answersByForm && { responseMode: 'form_post' }),
      },
      ctx.gone(),
    ),
  );
  return { location, answersByForm };
}

const newAttempt = ({ now, client }: Ctx, domainId: string, { next, portal, language }: Query): Attempt => ({
  domainId,
  state: randomToken(),
  nonce: randomToken(),
  codeVerifier: randomToken(48),
  next: pathOfPortal(next),
  portal,
  language,
  formerSession: presentSession(client.cookies()),
  expiresAt: now.getTime() + attemptLifeS * 1_000,
});
