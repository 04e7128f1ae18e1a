import { sessionList } from '../../../db/repositories/snapshot/lists.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { actionErrors } from '../../../shared/sites/calls/actions.ts';
import { mergedListOf } from '../../../shared/snapshot/merged-list.ts';
import { WorkplaceSession } from '../../../shared/snapshot/session-shape.ts';
import { base, endpoint } from '../deps.ts';
import { answerMerged } from '../merged-lists.ts';
import { Preview, previewTexts } from '../previews.ts';
import { previewSessions, SessionPreviewBody } from './preview.ts';
import { Assistance, Gone, SessionParams, WorkplaceSessionQuery } from './schema.ts';
import { assistSession, endSession } from './usecases.ts';

const view = viewOf(WorkplaceSession);
const atNode = {
  description: '`id` is the identifier of the farm.',
  params: SessionParams,
  errors: actionErrors,
  sited: true,
  effects: 'dispatcher',
} as const;

const answerEnded = (session: object | undefined): Answer =>
  session ? new Answer(view(session)) : new Answer({ result: 'gone' }, { status: 200 });

export const workplaceSessionOperations = [
  endpoint(
    {
      id: 'spsession.list',
      route: `GET ${base}/spsessions`,
      access: 'spsessions.read',
      summary: 'List the workplace sessions of all farms',
      query: WorkplaceSessionQuery,
      mayLag: true,
      returns: [200, mergedListOf(WorkplaceSession)],
    },
    (ctx, { query }) => answerMerged(ctx, sessionList, query, view),
  ),
  endpoint(
    {
      id: 'spsession.disconnect',
      route: `PATCH ${base}/spsessions/{id}/disconnect/{session_uuid}`,
      access: 'spsessions.disconnect',
      summary: 'Disconnect a workplace session',
      returns: [202, WorkplaceSession],
      orReturns: [200, Gone],
      ...atNode,
    },
    async (ctx, { params: { id, session_uuid } }) =>
      answerEnded(await endSession(ctx, id, session_uuid, 'disconnect')),
  ),
  endpoint(
    {
      id: 'spsession.logoff',
      route: `PATCH ${base}/spsessions/{id}/logoff/{session_uuid}`,
      access: 'spsessions.logoff',
      summary: 'End a workplace session',
      returns: [202, WorkplaceSession],
      orReturns: [200, Gone],
      ...atNode,
    },
    async (ctx, { params: { id, session_uuid } }) =>
      answerEnded(await endSession(ctx, id, session_uuid, 'logoff')),
  ),
  endpoint(
    {
      id: 'spsession.assist',
      route: `PATCH ${base}/spsessions/{id}/raconnect/{session_uuid}`,
      access: 'spsessions.assist',
      summary: 'Create a one-time URL of the remote assistant',
      returns: [200, Assistance],
      shownOnce: ['url'],
      ...atNode,
    },
    (ctx, { params: { id, session_uuid } }) => assistSession(ctx, id, session_uuid),
  ),
  endpoint(
    {
      id: 'spsession.preview',
      route: `POST ${base}/spsessions/preview`,
      access: 'spsessions.read',
      summary: 'Show what an action would do to workplace sessions',
      body: { required: SessionPreviewBody },
      returns: [200, Preview],
      ...previewTexts,
    },
    (ctx, { body }) => previewSessions(ctx, body),
  ),
];
