import { sessionList } from '../../../db/repositories/snapshot-lists.ts';
import { answerMerged, mergedListOf } from '../../../shared/fleet/snapshot/merged-list.ts';
import { WorkplaceSession } from '../../../shared/fleet/snapshot/session-shape.ts';
import { viewOf } from '../../../shared/http/views.ts';
import { base, endpoint } from '../deps.ts';
import { WorkplaceSessionQuery } from './schema.ts';

const view = viewOf(WorkplaceSession);

export const workplaceSessionOperations = [
  endpoint(
    {
      id: 'spsession.list',
      route: `GET ${base}/spsessions`,
      access: 'spsessions.read',
      summary: 'List the workplace sessions of all farms',
      query: WorkplaceSessionQuery,
      returns: [200, mergedListOf(WorkplaceSession)],
    },
    (ctx, { query }) => answerMerged(ctx, sessionList, query, view),
  ),
];
