import type { RequestCtx } from '../../../shared/http/context.ts';
import { messageDocument } from '../../../shared/http/pages/message-page.ts';
import { messageBranding } from '../../../shared/http/pages/read-branding.ts';
import { Document } from '../../../shared/http/serve/answer.ts';
import { type ProgramText, programText } from '../../../shared/messages/program-pages.ts';
import type { FederationDeps } from '../deps.ts';

type PageParts = {
  title: ProgramText;
  content: unknown;
  cookies?: readonly string[];
  formsLeadTo?: string | undefined;
};

/** A page about a program, in the language of the person. It works without scripts. */
export async function programPage(
  ctx: RequestCtx<FederationDeps>,
  { title, content, cookies = [], formsLeadTo }: PageParts,
): Promise<Document> {
  const { language, requestId } = ctx;
  const view = { language, requestId, branding: await messageBranding(ctx.deps) };
  const { text, headers } = messageDocument({
    title: programText(title, language),
    view,
    content,
    formsLeadTo,
  });
  const all = {
    ...headers,
    'content-language': language,
    // With `no-referrer`, browsers send the forms of the page without their origin.
    'referrer-policy': 'same-origin',
  };
  return new Document(text, 'text/html; charset=utf-8', all, { cookies });
}
