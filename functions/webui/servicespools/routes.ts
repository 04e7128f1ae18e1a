import { poolList } from '../../../db/repositories/snapshot-lists.ts';
import { answerMerged, mergedListOf } from '../../../shared/fleet/snapshot/merged-list.ts';
import { viewOf } from '../../../shared/http/views.ts';
import { base, endpoint } from '../deps.ts';
import { ServicesPool, ServicesPoolQuery } from './schema.ts';

const view = viewOf(ServicesPool);

export const servicesPoolOperations = [
  endpoint(
    {
      id: 'servicespool.list',
      route: `GET ${base}/servicespools`,
      access: 'servicespools.read',
      summary: 'List the workplace pools of all farms',
      query: ServicesPoolQuery,
      returns: [200, mergedListOf(ServicesPool)],
    },
    (ctx, { query }) => answerMerged(ctx, poolList, query, view),
  ),
];
