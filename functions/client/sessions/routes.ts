import { Id } from '../../../shared/shapes/fields.ts';
import { actionErrors } from '../../../shared/sites/calls/actions.ts';
import { SiteUriParams } from '../../../shared/sites/site-uri.ts';
import { base, endpoint } from '../deps.ts';
import { SessionEnd, SessionEndBody } from './schema.ts';
import { endOwnSession } from './usecases.ts';

export const ownSessionOperations = [
  endpoint(
    {
      id: 'session.end',
      route: `POST ${base}/sessions/{session_uuid}/logoff`,
      access: 'signed-in',
      summary: "End one of the caller's workplace sessions",
      description:
        'The dispatcher must list the session among those of the caller at the time of the request; a session of another user is not found. The order is sent once. Programs in the session are closed, and unsaved work is lost.',
      params: SiteUriParams.extend({
        session_uuid: Id.describe('Identifier of the session, assigned by the dispatcher.'),
      }),
      body: { optional: SessionEndBody },
      returns: [200, SessionEnd],
      errors: actionErrors,
      effects: 'dispatcher',
    },
    (ctx, { params: { site_uri, session_uuid }, body }) =>
      endOwnSession(ctx, site_uri, session_uuid, body?.farm_id),
  ),
];
