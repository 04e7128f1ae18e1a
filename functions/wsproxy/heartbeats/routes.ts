import { base, endpoint } from '../deps.ts';
import { HeartbeatBody, Noted } from './schema.ts';
import { gatewayOf, hearGateway } from './usecases.ts';

export const heartbeatOperations = [
  endpoint(
    {
      id: 'gateway.heartbeat',
      route: `POST ${base}/heartbeat`,
      access: 'public',
      summary: 'A gateway reports itself',
      description:
        'Every few seconds, with `Authorization: Bearer <token of the gateway>`. One that has been silent for 60 seconds gets no clients.',
      body: { required: HeartbeatBody },
      credential: { in: 'header', prove: gatewayOf },
      rateLimit: 'failures',
      returns: [200, Noted],
      errors: ['forbidden'],
    },
    (ctx, { body }) => hearGateway(ctx, body),
  ),
];
