import type { z } from 'zod';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { readBranding, renderPage } from '../../../shared/http/pages/page.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import { languageFor } from '../../../shared/http/serve/language.ts';
import type { AuthDeps } from '../deps.ts';
import type { SignInQuery } from './schema.ts';

type Asked = z.output<typeof SignInQuery>;

/** The page in the reader's language and the installation's looks; it knows whether he is signed in already. */
export async function signInPage(ctx: RequestCtx<AuthDeps>, asked: Asked): Promise<Document> {
  const { branding, defaultLanguage } = await readBranding(ctx.deps);
  const { principal } = ctx;
  const { accepted } = ctx.client;
  const language = asked.language ?? languageFor({ principal, accepted, fallback: defaultLanguage });
  const next = pageOf(asked.next);
  const other = new URLSearchParams({ language: language === 'en' ? 'ru' : 'en', ...(next && { next }) });
  return renderPage(ctx.deps.assets, {
    name: 'signin',
    scripts: ['qr-code.js', 'signin.js'],
    language,
    branding,
    values: { other_link: `/signin?${other}` },
    facts: { ...(next && { next }), ...(principal.kind === 'user' && { user: userOf(principal) }) },
  });
}

/** Only a path of this portal: whoever signs in here is not sent elsewhere. */
const pageOf = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])[\w./-]*$/.test(next) ? next : undefined;

const userOf = ({ user, portal }: UserPrincipal) => ({
  login: user.name,
  name: user.realName || user.name,
  portal,
  mustChange: user.mustChangePassword,
});
