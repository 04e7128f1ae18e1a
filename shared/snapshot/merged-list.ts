import { z } from 'zod';
import type { MergedSpec } from '../../db/repositories/snapshot/lists.ts';
import { mergedPage } from '../../db/repositories/snapshot/pages.ts';
import { Flag, Id } from '../http/declare/fields.ts';
import { type ListQuery, listOf, pageAnswer, pageQuery } from '../http/declare/list.ts';
import type { Answer } from '../http/serve/answer.ts';
import { notFound } from '../kernel/errors.ts';
import { FarmStatus } from '../sites/farm-status.ts';
import { freshnessOf } from './freshness.ts';
import { type ListCtx, refreshFarms } from './refresh.ts';

/** The envelope of a merged list: how old the part of each farm concerned is stands beside the items. */
export const mergedListOf = (item: z.ZodType) =>
  listOf(item).extend({
    sites: z.array(FarmStatus).describe('State of the data, one entry for each farm of the list.'),
  });

/** Asks for the farms to be read before the answer. */
export const refreshFlag = {
  refresh: Flag.optional().describe(
    'If true, the farms of the list are read again before the response, within `aggregator.list_deadline_ms` milliseconds.',
  ),
};

/** Filters and members that all merged lists have. */
export const farmFilters = {
  site_id: Id.optional().describe('Only items of the site with this identifier.'),
  farm_id: Id.optional().describe('Only items of the farm with this identifier.'),
};
export const farmMembers = {
  farm_id: Id.describe('Identifier of the farm.'),
  farm_name: z.string().describe('Name of the farm.'),
  site_id: Id.describe('Identifier of the site.'),
  site_name: z.string().describe('Name of the site.'),
};

type MergedQuery = ListQuery & {
  refresh?: boolean | undefined;
  site_id?: string | undefined;
  farm_id?: string | undefined;
};

type View = (row: object) => object;

/**
 * One page over all farms within the caller's scope, from the snapshot; one round trip, or with `refresh` as long as
 * the deadline of lists.
 * @throws AppError `malformed_cursor`
 */
export async function answerMerged(
  ctx: ListCtx,
  spec: MergedSpec,
  { refresh = false, ...query }: MergedQuery,
  view: View,
): Promise<Answer> {
  const { page, sites } = await readMerged(ctx, spec, query, refresh, undefined);
  return pageAnswer(ctx, query, { ...page, items: page.items.map(view), beside: { sites } }, undefined);
}

/** The same of one farm. @throws AppError also `not_found` for a farm out of reach */
export async function answerOfFarm(
  ctx: ListCtx,
  spec: MergedSpec,
  { refresh = false, ...query }: MergedQuery,
  view: View,
  farmId: string,
): Promise<Answer> {
  const { page, sites } = await readMerged(ctx, spec, query, refresh, farmId);
  if (sites.length === 0) throw notFound();
  return pageAnswer(ctx, query, { ...page, items: page.items.map(view), beside: { sites } }, farmId);
}

async function readMerged(
  ctx: ListCtx,
  spec: MergedSpec,
  query: MergedQuery,
  refresh: boolean,
  farmId: string | undefined,
) {
  const choice = { scope: ctx.scope, siteId: query.site_id, farmId: farmId ?? query.farm_id };
  const asked = await pageQuery(ctx, query, farmId);
  const late = refresh ? await refreshFarms(ctx, spec.kind, choice) : new Set<string>();
  const { farms, total, ...page } = await ctx.upstream(() =>
    mergedPage(ctx.deps.db, spec, { ...asked, choice }),
  );
  const interval = ctx.parameters['aggregator.sync_interval_s'];
  const now = ctx.deps.clock();
  const sites = farms.map((facts) => freshnessOf(facts, late.has(facts.farm_id), interval, now));
  return { page: { ...page, total: total ?? undefined }, sites };
}
