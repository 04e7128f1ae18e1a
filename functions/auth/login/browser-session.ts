import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { startPageToken } from '../../../db/repositories/identity/login/page-tokens.ts';
import { newPageToken } from '../../../shared/access/service-tokens.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { noCookie, presentSession, sessionCookie } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { logOut } from '../../../shared/identity/log-out.ts';
import type { SignInAnswer } from '../../../shared/identity/login/answers.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { message } from '../../../shared/messages/message.ts';
import type { AuthDeps } from '../deps.ts';
import type { PageToken, TwoFactorLoginBody } from './schema.ts';
import { answerTwoFactorLogin } from './usecases.ts';

/** Seconds for which a page may use its token. */
const pageTokenAge = 600;

/**
 * Logs a user in with a browser. The token is returned only in the cookie.
 * @throws AppError `forbidden` for a request from another origin (login CSRF), otherwise as `login`
 */
export async function signIn(
  ctx: RequestCtx<AuthDeps>,
  body: z.output<typeof TwoFactorLoginBody>,
): Promise<Answer<z.input<typeof SignInAnswer>>> {
  if (!ctx.client.isOwnPage())
    throw new AppError(
      'forbidden',
      message('Browsers can sign in only on pages of {url}', { url: ctx.deps.baseUrl }),
    );
  const formerSession = presentSession(ctx.client.cookies());
  const answer = await answerTwoFactorLogin(ctx, { ...body, inBrowser: true, formerSession });
  if (answer.result === 'challenge') return new Answer(answer);
  const { token, ...shown } = answer;
  return new Answer(shown, { headers: { 'set-cookie': sessionCookie(token) } });
}

/** @throws AppError `invalid_token` if the browser session has ended in the meantime */
export async function givePageToken(
  ctx: RequestCtx<AuthDeps, UserPrincipal>,
): Promise<z.input<typeof PageToken>> {
  const token = newPageToken();
  await atomically(ctx.deps.db, (h) =>
    startPageToken(h, {
      id: newId(),
      token_hash: sha256(token),
      session_id: ctx.principal.session.id,
      expires_at: addSeconds(ctx.now, pageTokenAge),
    }),
  );
  return { token, user_id: ctx.principal.user.id, expires_in: pageTokenAge };
}

export const endBrowserSession = async (ctx: RequestCtx<AuthDeps, UserPrincipal>): Promise<Answer> =>
  new Answer(await logOut(ctx), { headers: { 'set-cookie': noCookie } });
