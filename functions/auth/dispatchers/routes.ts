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
      summary: 'Authorize the aggregator on a dispatcher: a token that we signed for a session key',
      description:
        'The connection test of a dispatcher node; the key is kept sealed and used by later calls. A peer aggregator sends a token that it signed, without a session, and gets one with its roles.',
      body: { required: JwtauthBody },
      returns: [200, JwtauthAnswer],
      errors: ['not_found', 'invalid_token', ...upstream],
    },
    (ctx, { body }) =>
      'token' in body || !hasSession(ctx) ? admitPeer(ctx, body) : authorizeOn(ctx, body.dispatcher_id),
  ),
];
