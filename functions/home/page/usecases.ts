import { findOwnAccount } from '../../../db/repositories/identity/own-account.ts';
import type { UserPrincipal } from '../../../shared/context/principal.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { renderApp } from '../../../shared/http/pages/app-page.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import type { HomeDeps } from '../deps.ts';
import { touchIconFor } from '../icons.ts';

/**
 * Renders the page of the user. It contains the sites of the user, so that the browser requests their services before
 * the scripts of the page are loaded.
 */
export async function homePage({
  deps,
  principal,
  language,
  parameters,
}: RequestCtx<HomeDeps, UserPrincipal>): Promise<Document> {
  const { user, domain, portal } = principal;
  const [{ branding, downloads }, account] = await Promise.all([
    readBranding(deps),
    findOwnAccount(deps.db, { userId: user.id, domainId: domain.id }),
  ]);
  if (!account) throw notFound();
  return renderApp(deps.assets, {
    name: 'home',
    language,
    branding,
    // The manifest is public and is requested without credentials, so it has nothing of the user.
    installed: { manifest: '/home/app.webmanifest', touch_icon: touchIconFor(branding.favicon ?? '') },
    facts: {
      user: { id: user.id, login: user.name, name: user.realName || user.name, portal },
      sites: account.sites,
      downloads,
      own_tokens: parameters['service_tokens.own'],
      first: account.sites.map(
        ({ uri }) => `/aggregator/api/client/v7.0/${encodeURIComponent(uri)}/servicesList/`,
      ),
    },
  });
}
