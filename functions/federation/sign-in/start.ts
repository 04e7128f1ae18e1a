import type { z } from 'zod';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { pathOfPortal, presentSession } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { atProvider } from '../../../shared/identity/providers/refusals.ts';
import { randomToken } from '../../../shared/kernel/crypto/digests.ts';
import type { FederationDeps } from '../deps.ts';
import { callbackOf, findProvider } from '../provider.ts';
import { type Attempt, attemptCookies, attemptLifeS } from './attempt.ts';
import type { StartQuery } from './schema.ts';

/**
 * Sends the browser to the provider of a domain. Only a cookie keeps what the answer needs.
 * @throws AppError `not_found`, errors of the provider
 */
export async function startSignIn(
  ctx: RequestCtx<FederationDeps>,
  id: string,
  query: z.output<typeof StartQuery>,
): Promise<Answer> {
  if (query.language) ctx.language = query.language;
  const { domain, client, answersByForm } = await findProvider(ctx, id);
  const attempt = newAttempt(ctx, domain.id, query);
  const { state, nonce, codeVerifier } = attempt;
  const location = await atProvider(() =>
    ctx.deps.providers.authorizationUrl(
      client,
      {
        ...{ redirectUri: callbackOf(ctx), state, nonce, codeVerifier, loginHint: query.login_hint },
        ...(answersByForm && { responseMode: 'form_post' }),
      },
      ctx.gone(),
    ),
  );
  const sameSite = answersByForm ? 'None' : 'Lax';
  const cookies = await attemptCookies(ctx.deps.attemptSealer, attempt, sameSite, ctx.client.cookies());
  return new Answer(undefined, { status: 302, headers: { location }, cookies });
}

const newAttempt = (
  { now, client }: RequestCtx<FederationDeps>,
  domainId: string,
  { next, portal, language }: z.output<typeof StartQuery>,
): Attempt => ({
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
