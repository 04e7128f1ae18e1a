import type { z } from 'zod';
import { assertExplains, type ExplainQuery, viewerFor } from '../../../shared/routing/explaining.ts';
import { loadRoutedSite } from '../../../shared/routing/routed-site.ts';
import { servicesAt } from '../../../shared/services/list.ts';
import type { ServicesList } from '../../../shared/services/shapes.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';

/**
 * The caller's services at a site or, to explain them, those of somebody else.
 * @throws AppError `not_found` for a site that is not the caller's; `upstream_unavailable` when no farm answered and
 * nothing is kept
 */
export async function listServices(
  ctx: UserCtx,
  siteUri: string,
  query: ExplainQuery,
): Promise<z.input<typeof ServicesList>> {
  const viewer = await viewerFor(ctx, query);
  const wanted = { rules: 'all', unusable: query.explain === true } as const;
  const site = await loadRoutedSite(ctx, siteUri, wanted, viewer);
  assertExplains(ctx, site, query);
  const { explain, ...list } = await servicesAt(ctx, site);
  return { ...list, ...(query.explain && { explain }) };
}
