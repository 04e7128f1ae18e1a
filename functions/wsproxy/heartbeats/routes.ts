import { base, endpoint } from '../deps.ts';
import { HeartbeatBody, HeartbeatResult } from './schema.ts';
import { gatewayOf, storeHeartbeat } from './usecases.ts';

export const heartbeatOperations = [
  endpoint(
    {
      id: 'gateway.heartbeat',
      route: `POST ${base}/heartbeat`,
      access: 'public',
      summary: 'Report a gateway heartbeat',
      description:
        'Send a heartbeat every few seconds with `Authorization: Bearer <gateway token>`. A gateway without a heartbeat for 60 seconds receives no new connections.',
      body: { required: HeartbeatBody },
      credential: { in: 'header', prove: gatewayOf },
      rateLimit: 'failures',
      returns: [200, HeartbeatResult],
      errors: ['forbidden'],
    },
    (ctx, { body }) => storeHeartbeat(ctx, body),
  ),
];
