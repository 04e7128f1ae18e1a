import type { Ctx } from '../../../shared/context/context.ts';
import { type AggregatorDeps, base, endpoint } from '../deps.ts';
import { Accepted, Heartbeat, Self } from './schema.ts';
import { acceptHeartbeat, describeSelf, heartbeatPath, portalOf } from './usecases.ts';

export const portalOperations = [
  endpoint(
    {
      id: 'portal.heartbeat',
      route: `POST ${heartbeatPath}`,
      access: 'public',
      summary: 'Report a portal heartbeat',
      description: 'Only portals that do not share this database need this operation.',
      body: { required: Heartbeat },
      credential: { in: 'input', prove: (ctx: Ctx<AggregatorDeps>, { body }) => portalOf(ctx, body.token) },
      returns: [200, Accepted],
      errors: ['invalid_token', 'upstream_failed', 'upstream_refused', 'upstream_tls', 'upstream_timeout'],
    },
    (ctx) => acceptHeartbeat(ctx),
  ),
  endpoint(
    {
      id: 'portal.self',
      route: `GET ${base}/portals/self`,
      access: 'signed-in',
      forPeers: true,
      summary: 'The answering portal',
      returns: [200, Self],
    },
    describeSelf,
  ),
];
