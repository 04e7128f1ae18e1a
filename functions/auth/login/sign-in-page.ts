import type { z } from 'zod';
import type { Principal, UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { renderApp } from '../../../shared/http/pages/app-page.ts';
import { pathOfPortal } from '../../../shared/http/pages/own-pages.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { languageFor } from '../../../shared/http/serve/language.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { takesPasskeys } from '../../../shared/identity/second-factor/passkey-support.ts';
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
  const only = onlyProvider(ctx, query, domains);
  if (only) return startAt(only, query);
  const { principal } = ctx;
  const { accepted } = ctx.client;
  return renderApp(ctx.deps.assets, {
    name: 'signin',
    ownParts: false,
    language: query.language ?? languageFor({ principal, accepted, fallback: defaultLanguage }),
    branding,
    facts: {
      ...offersOf(domains),
      passkeys: domains.some(({ type }) => takesPasskeys(ctx.deps.baseUrl, type)),
      step: query.step,
      login_text: branding.login_text,
      login_background: branding.login_background,
      next: pathOfPortal(query.next),
      user: principal.kind === 'user' ? userOf(principal) : undefined,
    },
  });
}

/** Undefined without a session, or if the user must change the password first. */
function firstPageOf(principal: Principal): string | undefined {
  if (principal.kind !== 'user' || principal.user.mustChangePassword) return undefined;
  return principal.portal === 'admin' ? '/console/' : '/home/';
}

type ShownDomain = Awaited<ReturnType<typeof shownDomains>>[number];

const isAtProvider = ({ type }: ShownDomain): boolean => domainTypeOf(type).login.proof === 'redirect';

/**
 * The domain whose provider is opened at once: on portals for users, the only one besides the built-in domain. Its
 * accounts sign in with `step=choose`.
 */
function onlyProvider(
  { deps: { portalType }, principal }: RequestCtx<AuthDeps>,
  { step }: PageQuery,
  domains: readonly ShownDomain[],
): ShownDomain | undefined {
  const [only, ...others] = domains.filter(({ isBuiltin }) => !isBuiltin);
  const isDirect = portalType === 'user' && step === undefined && principal.kind !== 'user';
  return isDirect && others.length === 0 && only && isAtProvider(only) ? only : undefined;
}

/** Domains with passwords, and those whose users sign in at a provider. */
const offersOf = (domains: readonly ShownDomain[]) => ({
  domains: domains
    .filter((domain) => !isAtProvider(domain))
    .map(({ auth, authUuid }) => ({ id: authUuid, name: auth })),
  providers: domains
    .filter(isAtProvider)
    .map(({ auth, authUuid, emailDomains }) => ({ id: authUuid, name: auth, emails: emailDomains ?? [] })),
});

function startAt({ authUuid }: ShownDomain, { next, language }: PageQuery): Answer {
  const page = pathOfPortal(next);
  const query = new URLSearchParams({ ...(page && { next: page }), ...(language && { language }) });
  const location = `/api/auth/v7.0/oidc/${authUuid}/start${query.size > 0 ? `?${query}` : ''}`;
  return new Answer(undefined, { status: 302, headers: { location } });
}

const userOf = ({ user, portal }: UserPrincipal) => ({
  login: user.name,
  name: user.realName || user.name,
  portal,
  must_change_password: user.mustChangePassword,
});
