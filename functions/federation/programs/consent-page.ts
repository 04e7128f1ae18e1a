import { html } from 'hono/html';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { type ProgramText, programText } from '../../../shared/messages/program-pages.ts';
import type { FederationDeps } from '../deps.ts';
import type { ProgramRequest } from '../program-request.ts';
import { programPage } from './page.ts';

/** Asks the person whether a program receives a session of the account. */
export function consentPage(
  ctx: RequestCtx<FederationDeps, UserPrincipal>,
  request: ProgramRequest,
): Promise<Document> {
  const say = (text: ProgramText): string => programText(text, ctx.language);
  const { user } = ctx.principal;
  const rows = factsOf(ctx, request).map(
    ([name, value]) => html`<dt>${say(name)}</dt><dd>${value}</dd>
`,
  );
  return programPage(ctx, {
    title: 'consent',
    formsLeadTo: request.kind === 'loopback' ? request.redirectUri : undefined,
    content: html`<p>${warningOf(request, ctx.language)}</p>
<dl>
${rows}</dl>
<p>${say('effect')}</p>
<form method="post" action="/consent/${request.id}">
<input type="hidden" name="account" value="${user.id}">
<p class="actions"><button name="decision" value="allow">${say('allow')}</button><button name="decision" value="deny">${say('deny')}</button></p>
</form>`,
  });
}

const warningOf = (request: ProgramRequest, language: Language): string =>
  request.kind === 'device'
    ? programText('own_device', language, { code: request.userCode })
    : programText('own_program', language);

function factsOf(
  { principal: { user, domain }, language }: RequestCtx<FederationDeps, UserPrincipal>,
  request: ProgramRequest,
): [ProgramText, string][] {
  return [
    ['program', request.program || programText('unnamed', language)],
    ['address', addressOf(request, language)],
    ['requested_at', momentOf(request.startedAt, language)],
    ['account', `${user.realName ? `${user.realName}, ` : ''}${user.name} (${domain.name})`],
  ];
}

const addressOf = (request: ProgramRequest, language: Language): string =>
  request.kind === 'device'
    ? request.ip
    : programText('on_this_computer', language, { address: new URL(request.redirectUri).host });

const momentOf = (at: number, language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' }).format(at);
