import { z } from 'zod';
import { LoginSession, SessionsQuery } from '../../../shared/identity/login-sessions.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { base, endpoint } from '../deps.ts';
import { endOtherSessions, endSession, listSessions } from './usecases.ts';

const OwnSession = LoginSession.extend({
  current: z.boolean().describe('True if this is the session of the request.'),
});

export const sessionOperations = [
  endpoint(
    {
      id: 'userinfo.listSessions',
      route: `GET ${base}/sessions`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "List the caller's active sessions",
      query: SessionsQuery,
      returns: [200, listOf(OwnSession)],
      errors: ['invalid_state'],
    },
    (ctx, { query }) => listSessions(ctx, query),
  ),
  endpoint(
    {
      id: 'userinfo.endSession',
      route: `DELETE ${base}/sessions/{id}`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "End one of the caller's sessions",
      params: z.object({ id: Id.describe('Identifier of the session.') }),
      returns: [204, null],
      errors: ['invalid_state'],
    },
    (ctx, { params }) => endSession(ctx, params.id),
  ),
  endpoint(
    {
      id: 'userinfo.endOtherSessions',
      route: `DELETE ${base}/sessions`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "End the caller's other sessions",
      description:
        'All sessions of the caller end, except that of the request. Service tokens are not sessions and stay valid.',
      returns: [204, null],
      errors: ['invalid_state'],
    },
    endOtherSessions,
  ),
];
