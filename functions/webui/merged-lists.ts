import type { MergedSpec } from '../../db/repositories/snapshot/lists.ts';
import { pageAnswer, pageQuery } from '../../shared/http/declare/list.ts';
import type { Answer } from '../../shared/http/serve/answer.ts';
import { notFound } from '../../shared/kernel/errors.ts';
import type { ListQuery } from '../../shared/shapes/list.ts';
import { readMerged } from '../../shared/snapshot/merged-list.ts';
import type { ListCtx } from '../../shared/snapshot/refresh.ts';

type MergedQuery = ListQuery & {
  refresh?: boolean | undefined;
  site_id?: string | undefined;
  farm_id?: string | undefined;
};

type View = (row: object) => object;

/** A page over all farms within the scope of the caller. @throws AppError `malformed_cursor` */
export async function answerMerged(
  ctx: ListCtx,
  spec: MergedSpec,
  { refresh = false, ...query }: MergedQuery,
  view: View,
): Promise<Answer> {
  const pageRequest = await pageQuery(ctx, query, undefined);
  const choice = { siteId: query.site_id, farmId: query.farm_id, refresh };
  const { page, sites } = await readMerged(ctx, spec, pageRequest, choice);
  return pageAnswer(ctx, query, { ...page, items: page.items.map(view), beside: { sites } }, undefined);
}

/** A page of one farm. @throws AppError also `not_found` for a farm out of reach */
export async function answerOfFarm(
  ctx: ListCtx,
  spec: MergedSpec,
  { refresh = false, ...query }: MergedQuery,
  view: View,
  farmId: string,
): Promise<Answer> {
  const pageRequest = await pageQuery(ctx, query, farmId);
  const { page, sites } = await readMerged(ctx, spec, pageRequest, {
    siteId: query.site_id,
    farmId,
    refresh,
  });
  if (sites.length === 0) throw notFound();
  return pageAnswer(ctx, query, { ...page, items: page.items.map(view), beside: { sites } }, farmId);
}
