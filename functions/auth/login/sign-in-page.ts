import type { z } from 'zod';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { readBranding, renderPage } from '../../../shared/http/pages/page.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import { languageFor } from '../../../shared/http/serve/language.ts';
import type { AuthDeps } from '../deps.ts';
import type { SignInQuery } from './schema.ts';

type PageQuery = z.output<typeof SignInQuery>;

/**
 * Renders the page in the language of the user and with the branding of the installation. It includes the user if
 * there is a session.
 */
export async function signInPage(ctx: RequestCtx<AuthDeps>, query: PageQuery): Promise<Document> {
  const { branding, defaultLanguage } = await readBranding(ctx.deps);
  const { principal } = ctx;
  const { accepted } = ctx.client;
  const language = query.language ?? languageFor({ principal, accepted, fallback: defaultLanguage });
  const next = pageOf(query.next);
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

/** Only a path of this portal, to prevent open redirects. */
const pageOf = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])[\w./-]*$/.test(next) ? next : undefined;

const userOf = ({ user, portal }: UserPrincipal) => ({
  login: user.name,
  name: user.realName || user.name,
  portal,
  mustChange: user.mustChangePassword,
});
