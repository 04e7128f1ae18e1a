import { z } from 'zod';
import { LoginSession, SessionsQuery } from '../../../shared/identity/login-sessions.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf } from '../../../shared/shapes/list.ts';
import { base, endpoint } from '../deps.ts';
import { endSessions, listSessions } from './usecases.ts';

const path = `${base}/authenticators/{auth_uuid}/users/{uuid}/sessions` as const;
const params = z.object({
  auth_uuid: Id.describe('Identifier of the authentication domain.'),
  uuid: Id.describe('Identifier of the user.'),
});

export const userSessionOperations = [
  endpoint(
    {
      id: 'userSession.list',
      route: `GET ${path}`,
      access: 'users.read',
      summary: 'List the active sessions of a user',
      params,
      query: SessionsQuery,
      returns: [200, listOf(LoginSession)],
    },
    (ctx, input) => listSessions(ctx, ownerIn(input.params), input.query),
  ),
  endpoint(
    {
      id: 'userSession.endAll',
      route: `DELETE ${path}`,
      access: 'users.update',
      summary: 'End all sessions of a user',
      description: 'Service tokens are not sessions and stay valid. They are revoked one by one.',
      params,
      returns: [204, null],
    },
    (ctx, input) => endSessions(ctx, ownerIn(input.params)),
  ),
];

const ownerIn = ({ auth_uuid: domainId, uuid: userId }: z.output<typeof params>) => ({ domainId, userId });
