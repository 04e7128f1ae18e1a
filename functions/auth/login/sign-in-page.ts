import type { z } from 'zod';
import type { Principal, UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { renderApp } from '../../../shared/http/pages/app-page.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { languageFor } from '../../../shared/http/serve/language.ts';
import type { AuthDeps } from '../deps.ts';
import { shownDomains } from '../shown-domains.ts';
import type { SignInQuery } from './schema.ts';

type PageQuery = z.output<typeof SignInQuery>;

/**
 * Renders the page in the language of the user and with the branding of the installation. It includes the user if
 * there is a session, and the domains, so that a form that is sent early does not wait for them.
 */
export async function signInPage(ctx: RequestCtx<AuthDeps>, query: PageQuery): Promise<Answer> {
  const first = query.next === '/' ? firstPageOf(ctx.principal) : undefined;
  if (first) return new Answer(undefined, { status: 302, headers: { location: first } });
  const [{ branding, defaultLanguage }, domains] = await Promise.all([
    readBranding(ctx.deps),
    shownDomains(ctx.deps),
  ]);
  const { principal } = ctx;
  const { accepted } = ctx.client;
  return renderApp(ctx.deps.assets, {
    name: 'signin',
    ownParts: false,
    language: query.language ?? languageFor({ principal, accepted, fallback: defaultLanguage }),
    branding,
    facts: {
      domains: domains.map(({ auth, authUuid }) => ({ id: authUuid, name: auth })),
      login_text: branding.login_text,
      login_background: branding.login_background,
      next: pageOf(query.next),
      user: principal.kind === 'user' ? userOf(principal) : undefined,
    },
  });
}

/** Undefined without a session, or if the user must change the password first. */
function firstPageOf(principal: Principal): string | undefined {
  if (principal.kind !== 'user' || principal.user.mustChangePassword) return undefined;
  return principal.portal === 'admin' ? '/console/' : '/home/';
}

/** Only a path of this portal, to prevent open redirects. */
const pageOf = (next: string | undefined): string | undefined =>
  next !== undefined && /^\/(?![/\\])[\w./-]*$/.test(next) ? next : undefined;

const userOf = ({ user, portal }: UserPrincipal) => ({
  login: user.name,
  name: user.realName || user.name,
  portal,
  must_change_password: user.mustChangePassword,
});
