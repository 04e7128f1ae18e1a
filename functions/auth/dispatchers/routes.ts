import { hasSession } from '../../../shared/http/writes/transactional.ts';
import { base, endpoint } from '../deps.ts';
import { admitPeer } from './peers.ts';
import { JwtauthAnswer, JwtauthBody } from './schema.ts';
import { authorizeOn } from './usecases.ts';

const upstream = ['upstream_failed', 'upstream_refused', 'upstream_tls', 'upstream_timeout'] as const;

export const dispatcherOperations = [
  endpoint(
    {
      id: 'dispatcher.authorize',
      route: `POST ${base}/jwtauth`,
      access: 'dispatchers.update',
      sited: true,
      credential: { in: 'member', member: 'token' },
      summary: 'Authorize the portal on a dispatcher node',
      description:
        'Tests the connection to a dispatcher node. The portal signs a token and exchanges it for a session key of the node. The key is stored encrypted and used by later calls. A peer aggregator sends a token of its own without a session, and receives a session with the roles of the peer.',
      body: { required: JwtauthBody },
      returns: [200, JwtauthAnswer],
      errors: ['not_found', 'invalid_token', ...upstream],
    },
    (ctx, { body }) =>
      'token' in body || !hasSession(ctx) ? admitPeer(ctx, body) : authorizeOn(ctx, body.dispatcher_id),
  ),
];
