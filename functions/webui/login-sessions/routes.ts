import { z } from 'zod';
import { LoginSession } from '../../../shared/identity/login-sessions.ts';
import { Id, idOf } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { timeRanges } from '../../../shared/shapes/ranges.ts';
import { base, endpoint } from '../deps.ts';
import { endSession, listSessions } from './usecases.ts';

const Session = LoginSession.extend({
  user_id: idOf('user').describe('Identifier of the user.'),
  user: z.string().describe('Login name of the user.'),
  authenticator_id: idOf('authenticator').describe('Identifier of the domain of the user.'),
  authenticator_name: z.string().describe('Name of the domain of the user.'),
  current: z.boolean().describe('True if this is the session of the request.'),
});

const query = listQuery(
  ['last_seen_at', 'created_at'],
  {
    authenticator: idOf('authenticator').optional().describe('Only sessions of users of this domain.'),
    user: idOf('user').optional().describe('Only sessions of this user.'),
    portal: LoginSession.shape.portal.optional().describe('Only sessions of this portal.'),
    source_ip: z.string().max(45).optional().describe('Only sessions from this IP address.'),
    ...timeRanges('created_at', 'last_seen_at'),
  },
  '-last_seen_at',
).extend({
  search: z
    .string()
    .max(128)
    .optional()
    .describe('Part of the login name, of the IP address or of the header `User-Agent`. Case is ignored.'),
});

const path = `${base}/login-sessions` as const;

export const loginSessionOperations = [
  endpoint(
    {
      id: 'loginSession.list',
      route: `GET ${path}`,
      access: 'users.read',
      summary: 'List the active login sessions of all users',
      query,
      returns: [200, listOf(Session)],
    },
    (ctx, input) => listSessions(ctx, input.query),
  ),
  endpoint(
    {
      id: 'loginSession.delete',
      route: `DELETE ${path}/{id}`,
      access: 'users.update',
      summary: 'End a login session',
      description: 'The caller must hold every permission of the user.',
      params: z.object({ id: Id.describe('Identifier of the session.') }),
      returns: [204, null],
    },
    (ctx, { params }) => endSession(ctx, params.id),
  ),
];
