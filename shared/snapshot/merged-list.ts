import { z } from 'zod';
import type { PageQuery } from '../../db/repositories/records/records.ts';
import type { MergedSpec } from '../../db/repositories/snapshot/lists.ts';
import { mergedPage } from '../../db/repositories/snapshot/pages.ts';
import { Flag, idOf } from '../shapes/fields.ts';
import { listOf } from '../shapes/list.ts';
import { PartStatus } from '../sites/farm-status.ts';
import { freshnessOf } from './freshness.ts';
import { type ListCtx, refreshFarms } from './refresh.ts';

/** The envelope of a merged list. `sites` contains the age of the data of each farm. */
export const mergedListOf = (item: z.ZodType) =>
  listOf(item).extend({
    sites: z.array(PartStatus).describe('State of the data, one entry for each farm of the list.'),
  });

/** Query parameter that requests a new read of the farms before the response. */
export const refreshFlag = {
  refresh: Flag.optional().describe(
    'If true, the farms of the list are read again before the response, within `aggregator.list_deadline_ms` milliseconds. A synchronization that is running is waited for instead of a second one.',
  ),
};

/** Filters and members of all merged lists. */
export const farmFilters = {
  site_id: idOf('site').optional().describe('Only items of the site with this identifier.'),
  farm_id: idOf('farm').optional().describe('Only items of the farm with this identifier.'),
};
export const farmMembers = {
  farm_id: idOf('farm').describe('Identifier of the farm.'),
  farm_name: z.string().describe('Name of the farm.'),
  site_id: idOf('site').describe('Identifier of the site.'),
  site_name: z.string().describe('Name of the site.'),
};

/** The farms of a list, and whether they are read from their nodes first. */
export type MergedChoice = { siteId: string | undefined; farmId: string | undefined; refresh: boolean };

/**
 * Reads one page over the selected farms within the scope of the caller. The snapshot is read in one round trip. With
 * `refresh`, the call takes up to `aggregator.list_deadline_ms`.
 */
export async function readMerged(
  ctx: ListCtx,
  spec: MergedSpec,
  page: PageQuery,
  { siteId, farmId, refresh }: MergedChoice,
) {
  const choice = { scope: ctx.scope, siteId, farmId };
  const late = refresh ? await refreshFarms(ctx, spec.kind, choice) : new Set<string>();
  const { farms, total, ...found } = await ctx.upstream(() =>
    mergedPage(ctx.deps.db, spec, { ...page, choice }),
  );
  const interval = ctx.parameters['aggregator.sync_interval_s'];
  const now = ctx.deps.clock();
  const sites = farms.map((facts) => freshnessOf(facts, late.has(facts.farm_id), interval, now));
  return { page: { ...found, total: total ?? undefined }, sites };
}
