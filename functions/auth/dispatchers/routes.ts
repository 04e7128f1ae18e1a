import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';
import { base, endpoint } from '../deps.ts';
import { authorizeOn } from './usecases.ts';

const Authorized = z.strictObject({
  result: z.literal('ok'),
  dispatcher_id: Id,
  expires_in: z.int().meta({ description: 'Seconds for which the session key holds' }),
});

export const dispatcherOperations = [
  endpoint(
    {
      id: 'dispatcher.authorize',
      route: `POST ${base}/jwtauth`,
      access: 'dispatchers.update',
      sited: true,
      summary: 'Authorize the aggregator on a dispatcher: a token that we signed for a session key',
      description:
        'The connection test of a dispatcher node; the key is kept sealed and used by later calls.',
      body: { required: z.strictObject({ dispatcher_id: Id }) },
      returns: [200, Authorized],
      errors: ['not_found', 'upstream_failed', 'upstream_refused', 'upstream_tls', 'upstream_timeout'],
    },
    (ctx, { body }) => authorizeOn(ctx, body.dispatcher_id),
  ),
];
