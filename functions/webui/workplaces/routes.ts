import { workplaceList } from '../../../db/repositories/snapshot/lists.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { mergedListOf } from '../../../shared/snapshot/merged-list.ts';
import { base, endpoint } from '../deps.ts';
import { answerMerged } from '../merged-lists.ts';
import { Workplace, WorkplaceQuery } from './schema.ts';

const view = viewOf(Workplace);

export const workplaceOperations = [
  endpoint(
    {
      id: 'workplace.list',
      route: `GET ${base}/workplaces`,
      access: 'workplaces.read',
      summary: 'List the workplaces of all farms',
      query: WorkplaceQuery,
      mayLag: true,
      returns: [200, mergedListOf(Workplace)],
    },
    (ctx, { query }) => answerMerged(ctx, workplaceList, query, view),
  ),
];
