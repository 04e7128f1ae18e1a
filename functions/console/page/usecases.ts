import type { AccountPrincipal } from '../../../shared/context/principal.ts';
import { limitedRightsOf, usablePermissionsOf } from '../../../shared/context/rights.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { renderApp } from '../../../shared/http/pages/app-page.ts';
import { readBranding } from '../../../shared/http/pages/read-branding.ts';
import type { Document } from '../../../shared/http/serve/answer.ts';
import type { ConsoleDeps } from '../deps.ts';

/** Renders the console. The browser requests the overview before the scripts of the page are loaded. */
export async function consolePage({
  deps,
  principal,
  language,
  parameters,
}: RequestCtx<ConsoleDeps, AccountPrincipal>): Promise<Document> {
  const { user, portal } = principal;
  const { branding } = await readBranding(deps);
  return renderApp(deps.assets, {
    name: 'console',
    language,
    branding,
    facts: {
      user: { id: user.id, login: user.name, name: user.realName || user.name, portal },
      permissions: usablePermissionsOf(principal),
      limited: limitedRightsOf(principal),
      own_tokens: parameters['service_tokens.own'],
      has_home: deps.portalType === 'universal',
      first: ['/api/webui/aggregator/dashboard/admin'],
    },
  });
}
