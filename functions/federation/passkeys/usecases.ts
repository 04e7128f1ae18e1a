import type { z } from 'zod';
import { passkeys } from '../../../db/repositories/identity/passkeys/passkeys.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { presentSession, sessionCookie } from '../../../shared/http/pages/own-pages.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { loginAnswer } from '../../../shared/identity/login/answers.ts';
import type { TwoFactorLoginResult } from '../../../shared/identity/login.ts';
import { finishRegistration, renameOwnPasskey } from '../../../shared/identity/passkeys/own.ts';
import { Passkey } from '../../../shared/identity/passkeys/passkey.ts';
import { logInByPasskey } from '../../../shared/identity/passkeys/second-factor.ts';
import { signInByPasskey } from '../../../shared/identity/passkeys/sign-in.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import { message } from '../../../shared/messages/message.ts';
import type { ListQuery } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import type { FederationDeps } from '../deps.ts';
import type { PasskeyChange, PasskeyWrite, SecondFactorBody, SignInBody } from './schema.ts';

type OwnCtx = ClientCtx<FederationDeps, UserPrincipal>;

const view = viewOf(Passkey);

export const listOwnPasskeys = (ctx: OwnCtx, query: ListQuery): Promise<Answer> =>
  answerList(ctx, passkeys, query, view, ctx.principal.user.id);

export async function registerPasskey(ctx: OwnCtx, body: z.output<typeof PasskeyWrite>) {
  const { passkey, recoveryCodes } = await finishRegistration(ctx, body);
  return { ...view(passkey), ...(recoveryCodes && { recovery_codes: recoveryCodes }) };
}

export const renamePasskey = async (ctx: OwnCtx, id: string, { name }: z.output<typeof PasskeyChange>) =>
  view(await renameOwnPasskey(ctx, id, name));

export async function signIn(
  ctx: RequestCtx<FederationDeps>,
  { in_browser, ...body }: z.output<typeof SignInBody>,
): Promise<Answer> {
  assertOwnPage(ctx, in_browser);
  return answerOf(await signInByPasskey(ctx, { ...body, ...optionsOf(ctx, in_browser) }), in_browser);
}

export async function finishLogin(
  ctx: RequestCtx<FederationDeps>,
  body: z.output<typeof SecondFactorBody>,
): Promise<Answer> {
  assertOwnPage(ctx, body.in_browser);
  const request = { ...body, ...optionsOf(ctx, body.in_browser) };
  return answerOf(await logInByPasskey(ctx, request, body), body.in_browser);
}

const optionsOf = ({ client }: RequestCtx<FederationDeps>, inBrowser: boolean) => ({
  inBrowser,
  formerSession: inBrowser ? presentSession(client.cookies()) : undefined,
});

/** @throws AppError `forbidden` for a browser session on behalf of another site (login CSRF) */
function assertOwnPage({ client, deps }: RequestCtx<FederationDeps>, inBrowser: boolean): void {
  if (inBrowser && !client.isOwnPage())
    throw new AppError(
      'forbidden',
      message('Browsers can sign in only on pages of {url}', { url: deps.baseUrl }),
    );
}

function answerOf({ recoveryCodes, ...login }: TwoFactorLoginResult, inBrowser: boolean): Answer {
  const { token, ...shown } = loginAnswer(login);
  const body = { ...shown, ...(recoveryCodes && { recovery_codes: recoveryCodes }) };
  return inBrowser
    ? new Answer(body, { headers: { 'set-cookie': sessionCookie(token) } })
    : new Answer({ ...body, token });
}
