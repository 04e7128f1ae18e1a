import type { z } from 'zod';
import { assertExplains, type ExplainQuery, viewerFor } from '../../../shared/routing/explain-query.ts';
import { loadRoutedSite } from '../../../shared/routing/routed-site.ts';
import { servicesAt } from '../../../shared/services/list.ts';
import type { ServicesList } from '../../../shared/services/shapes.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';

/**
 * The services of the caller at a site, or of another user to explain them.
 * @throws AppError `not_found` for a site that the caller cannot use; `upstream_unavailable` if no farm responded
 *   and nothing is cached
 */
export async function listServices(
  ctx: UserCtx,
  siteUri: string,
  query: ExplainQuery,
): Promise<z.input<typeof ServicesList>> {
  const viewer = await viewerFor(ctx, query);
  const routingTarget = { rules: 'all', unusable: query.explain === true } as const;
  const site = await loadRoutedSite(ctx, siteUri, routingTarget, viewer);
  assertExplains(ctx, site, query);
  const { explain, ...list } = await servicesAt(ctx, site);
  return { ...list, ...(query.explain && { explain }) };
}
