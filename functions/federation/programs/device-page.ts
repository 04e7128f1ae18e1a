import { html } from 'hono/html';
import type { RequestCtx } from '../../../shared/http/context.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import { type ProgramText, programText } from '../../../shared/messages/program-pages.ts';
import type { FederationDeps } from '../deps.ts';
import { programPage } from './page.ts';

type DeviceForm = { userCode?: string | undefined; isWrong?: boolean; cookies?: readonly string[] };

/** Asks the person for the code that a device shows. */
export function devicePage(
  ctx: RequestCtx<FederationDeps>,
  { userCode = '', isWrong = false, cookies = [] }: DeviceForm = {},
): Promise<Document> {
  const say = (text: ProgramText): string => programText(text, ctx.language);
  const wrong = html`<p id="wrong" class="wrong" role="alert">${say('wrong_code')}</p>`;
  const described = isWrong ? html`aria-invalid="true" aria-describedby="wrong"` : '';
  return programPage(ctx, {
    title: 'device',
    cookies,
    content: html`<p>${say('enter_code')}</p>
${isWrong ? wrong : ''}
<form method="post" action="/device">
<p><label for="user_code">${say('code')}</label><input id="user_code" name="user_code" value="${userCode}" maxlength="32" required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false" ${described}></p>
<p class="actions"><button>${say('continue')}</button></p>
</form>`,
  });
}
