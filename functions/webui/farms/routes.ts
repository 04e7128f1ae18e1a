import { z } from 'zod';
import { listShowing } from '../../../db/repositories/records/list-columns.ts';
import { farmsOfSite } from '../../../db/repositories/sites/farms.ts';
import { farmTagList } from '../../../db/repositories/snapshot/lists.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { mergedListOf } from '../../../shared/snapshot/merged-list.ts';
import { base, endpoint } from '../deps.ts';
import { answerOfFarm } from '../merged-lists.ts';
import { farmCrud } from './record.ts';
import { Farm, FarmTag, FarmTagQuery, farmFilters, farmSorts } from './schema.ts';
import { replaceFarm, updateFarm } from './usecases.ts';

const { operations, declared, kind, target } = farmCrud;
const listed = listShowing(farmsOfSite, kind.view.columns);
const changeErrors = ['already_exists', 'in_use'] as const;

export const farmOperations = [
  ...operations,
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceFarm(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, errors: changeErrors }, (ctx, input) =>
    updateFarm(ctx, target(input), input.body),
  ),
  endpoint(
    {
      id: 'site.listFarms',
      route: `GET ${base}/sites/{id}/farms`,
      access: 'farms.read',
      summary: 'List the farms of a site',
      params: z.object({ id: Id.describe('Identifier of the site.') }),
      query: listQuery(farmSorts, farmFilters),
      mayLag: true,
      returns: [200, listOf(Farm)],
    },
    (ctx, { params, query }) => answerList(ctx, listed, query, kind.view, params.id),
  ),
  endpoint(
    {
      id: 'farm.listTags',
      route: `GET ${base}/farms/{id}/tags`,
      access: 'farms.read',
      summary: 'List the tags that the dispatcher nodes of a farm report',
      params: z.object({ id: Id.describe('Identifier of the farm.') }),
      query: FarmTagQuery,
      mayLag: true,
      returns: [200, mergedListOf(FarmTag)],
    },
    (ctx, { params, query }) => answerOfFarm(ctx, farmTagList, query, viewOf(FarmTag), params.id),
  ),
];
