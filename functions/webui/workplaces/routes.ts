import { workplaceList } from '../../../db/repositories/snapshot/lists.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { mergedListOf } from '../../../shared/snapshot/merged-list.ts';
import { base, endpoint } from '../deps.ts';
import { answerMerged } from '../merged-lists.ts';
import { Preview, previewTexts } from '../previews.ts';
import { previewWorkplaces, WorkplacePreviewBody } from './preview.ts';
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
  endpoint(
    {
      id: 'workplace.preview',
      route: `POST ${base}/workplaces/preview`,
      access: 'workplaces.read',
      summary: 'Show what an action would do to workplaces',
      body: { required: WorkplacePreviewBody },
      returns: [200, Preview],
      ...previewTexts,
    },
    (ctx, { body }) => previewWorkplaces(ctx, body),
  ),
];
