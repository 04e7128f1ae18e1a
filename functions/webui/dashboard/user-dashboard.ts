import type { z } from 'zod';
import { sessionList } from '../../../db/repositories/snapshot/lists.ts';
import { mergedPage } from '../../../db/repositories/snapshot/pages.ts';
import type { ClientCtx } from '../../../shared/context/context.ts';
import type { AccountPrincipal } from '../../../shared/context/principal.ts';
import { loadRoutedSite } from '../../../shared/routing/routed-site.ts';
import { servicesAt } from '../../../shared/services/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { WorkplaceSession } from '../../../shared/snapshot/session-shape.ts';
import type { WebuiDeps } from '../deps.ts';
import type { UserDashboard } from './schema.ts';

type OwnCtx = ClientCtx<WebuiDeps, AccountPrincipal>;
const view = viewOf(WorkplaceSession);

/** More sessions than a user has at one site in practice. */
const maxSessions = 500;

/**
 * The caller's services and workplace sessions at a site.
 * @throws AppError `not_found` for a site that the caller cannot use; `upstream_unavailable` if no farm responded
 *   and nothing is cached
 */
export async function userDashboard(ctx: OwnCtx, siteUri: string): Promise<z.input<typeof UserDashboard>> {
  const site = await loadRoutedSite(ctx, siteUri, { rules: 'all', unusable: false });
  const [{ services, sites }, sessions] = await Promise.all([
    servicesAt(ctx, site),
    ownSessions(ctx, site.id),
  ]);
  const { id, uri, name, maintenance } = site;
  return {
    generated_at: ctx.now.toISOString(),
    site: { id, uri, name, maintenance },
    services,
    sessions,
    sites,
  };
}

/** Users see their own sessions at a site regardless of their roles. */
async function ownSessions(ctx: OwnCtx, siteId: string): Promise<z.input<typeof WorkplaceSession>[]> {
  const { user, domain } = ctx.principal;
  const { items } = await ctx.upstream(() =>
    mergedPage(ctx.deps.db, sessionList, {
      scope: [siteId],
      choice: { scope: [siteId] },
      filters: { user: `${domain.label}\\${user.name}` },
      sort: { key: 'started_at', descending: true },
      limit: maxSessions,
      count: false,
    }),
  );
  return items.map(view);
}
