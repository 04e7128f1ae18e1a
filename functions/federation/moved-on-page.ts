import { html } from 'hono/html';
import type { RequestCtx } from '../../shared/http/context.ts';
import { messageDocument } from '../../shared/http/pages/message-page.ts';
import { messageBranding } from '../../shared/http/pages/read-branding.ts';
import { Document } from '../../shared/http/serve/answer.ts';
import { inLanguage } from '../../shared/messages/message.ts';
import type { FederationDeps } from './deps.ts';

/**
 * A page of this portal that opens another one at once. The browser then sends the cookies with `SameSite=Strict`, which
 * it does not after a redirection from another site.
 * @param path of this portal
 * @param cookies values of `Set-Cookie`
 */
export async function movedOnPage(
  ctx: RequestCtx<FederationDeps>,
  path: string,
  cookies: readonly string[],
): Promise<Document> {
  const { language, requestId } = ctx;
  const view = { language, requestId, branding: await messageBranding(ctx.deps) };
  const { text, headers } = messageDocument({
    title: inLanguage('The sign-in continues', language),
    view,
    content: html`<p class="actions"><a href="${path}">${inLanguage('Continue', language)}</a></p>`,
  });
  const all = { ...headers, 'content-language': language, refresh: `0;url=${path}` };
  return new Document(text, 'text/html; charset=utf-8', all, { cookies });
}
