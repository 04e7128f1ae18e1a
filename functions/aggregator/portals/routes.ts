import { base, endpoint } from '../deps.ts';
import { Accepted, Heartbeat, Self } from './schema.ts';
import { acceptHeartbeat, describeSelf, heartbeatPath } from './usecases.ts';

export const portalOperations = [
  endpoint(
    {
      id: 'portal.heartbeat',
      route: `POST ${heartbeatPath}`,
      access: 'public',
      summary: 'A portal tells that it lives',
      description: 'Portals on this database report themselves without it.',
      body: { required: Heartbeat },
      hasOwnCredential: true,
      returns: [200, Accepted],
      errors: ['invalid_token', 'upstream_failed', 'upstream_refused', 'upstream_tls', 'upstream_timeout'],
    },
    (ctx, { body }) => acceptHeartbeat(ctx, body.token),
  ),
  endpoint(
    {
      id: 'portal.self',
      route: `GET ${base}/portals/self`,
      access: 'signed-in',
      forPeers: true,
      summary: 'The portal that answers',
      returns: [200, Self],
    },
    describeSelf,
  ),
];
