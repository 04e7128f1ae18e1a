import type { z } from 'zod';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { type Conditions, isUnchanged } from '../../../shared/http/serve/conditions.ts';
import { assertExplains, viewerFor } from '../../../shared/routing/explain-query.ts';
import { loadListedSite, loadRoutedSite } from '../../../shared/routing/routed-site.ts';
import { listsToRead } from '../../../shared/routing/service-list-cache.ts';
import { findServices, servicesAt } from '../../../shared/services/list.ts';
import type { ServicesList } from '../../../shared/services/shapes.ts';
import { heldLists } from '../../../shared/services/validator.ts';
import type { UserCtx } from '../../../shared/sites/user-site.ts';
import type { ServicesQuery } from './schema.ts';

/**
 * The services of the caller at a site, or of another user to explain them.
 * @throws AppError `not_found` for a site that the caller cannot use; `upstream_unavailable` if no farm responded
 *   and nothing is cached
 */
export async function listServices(
  ctx: UserCtx,
  siteUri: string,
  query: ServicesQuery,
  conditions: Conditions,
): Promise<z.input<typeof ServicesList> | Answer> {
  return query.explain
    ? explainServices(ctx, siteUri, query)
    : findOwnServices(ctx, siteUri, conditions, query.refresh);
}

async function explainServices(
  ctx: UserCtx,
  siteUri: string,
  query: ServicesQuery,
): Promise<z.input<typeof ServicesList>> {
  const viewer = await viewerFor(ctx, query);
  const site = await loadRoutedSite(ctx, siteUri, { rules: 'all', unusable: true }, viewer);
  assertExplains(ctx, site, query);
  return servicesAt(ctx, site, { isAnew: query.refresh });
}

/** The services themselves are read only if the caller does not have the list. */
async function findOwnServices(
  ctx: UserCtx,
  siteUri: string,
  conditions: Conditions,
  isAnew: boolean | undefined,
): Promise<Answer> {
  const held = heldLists(conditions.ifNoneMatch ?? '');
  const lists = listsToRead(held, ctx.parameters, ctx.now);
  const target = { rules: 'all', unusable: false } as const;
  const site = await loadListedSite(ctx, siteUri, target, undefined, lists);
  const found = await findServices(ctx, site, { isAnew });
  if (found.etag !== undefined && isUnchanged(conditions, found.etag))
    return new Answer(undefined, { headers: headersOf(found.etag) });
  const { services, etag } = await found.read();
  const { explain: _, ...list } = services;
  return new Answer(list, { headers: headersOf(etag) });
}

/** Browsers may store the list, and must validate it before each use. */
const headersOf = (etag: string | undefined): Record<string, string> =>
  etag === undefined ? {} : { etag, 'cache-control': 'private, no-cache', vary: 'x-auth-token' };
