import { z } from 'zod';
import { farms, farmsOfSite } from '../../../db/repositories/farms.ts';
import { farmTagList } from '../../../db/repositories/snapshot-lists.ts';
import { answerOfFarm, mergedListOf } from '../../../shared/fleet/snapshot/merged-list.ts';
import { crud } from '../../../shared/http/crud.ts';
import { Id } from '../../../shared/http/fields.ts';
import { answerList, listOf, listQuery } from '../../../shared/http/list.ts';
import { viewOf } from '../../../shared/http/views.ts';
import { base, endpoint } from '../deps.ts';
import { Farm, FarmTag, FarmTagQuery, FarmWrite, farmFilters, farmSorts } from './schema.ts';

const { operations, kind } = crud({
  type: 'farm',
  one: 'a farm of resource providers',
  many: 'farms of resource providers',
  resource: 'farms',
  path: `${base}/farms`,
  records: farms,
  view: Farm,
  write: FarmWrite,
  placedBy: 'site_id',
  filters: farmFilters,
  sorts: farmSorts,
  verbs: ['list', 'create', 'get', 'replace', 'update', 'delete', 'bulkDestroy'],
  sited: true,
});

export const farmOperations = [
  ...operations,
  endpoint(
    {
      id: 'site.listFarms',
      route: `GET ${base}/sites/{id}/farms`,
      access: 'farms.read',
      summary: 'List the farms of a site',
      params: z.object({ id: Id }),
      query: listQuery(farmSorts, farmFilters),
      returns: [200, listOf(Farm)],
    },
    (ctx, { params, query }) => answerList(ctx, farmsOfSite, query, kind.view, params.id),
  ),
  endpoint(
    {
      id: 'farm.listTags',
      route: `GET ${base}/farms/{id}/tags`,
      access: 'farms.read',
      summary: 'List the tags that the dispatcher nodes of a farm know',
      params: z.object({ id: Id }),
      query: FarmTagQuery,
      returns: [200, mergedListOf(FarmTag)],
    },
    (ctx, { params, query }) => answerOfFarm(ctx, farmTagList, query, viewOf(FarmTag), params.id),
  ),
];
