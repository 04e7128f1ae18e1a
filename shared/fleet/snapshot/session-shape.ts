import { z } from 'zod';
import { Id, Moment } from '../../http/fields.ts';
import { farmMembers } from './merged-list.ts';

export const SessionState = z.enum(['active', 'disconnected']);
const Text = z.string().nullable();

export const WorkplaceSession = z.strictObject({
  session_uuid: Id,
  ...farmMembers,
  servicepool_uuid: Id,
  servicepool_name: z.string(),
  workplace_uuid: Id,
  workplace_name: z.string(),
  workplace_ip: z.string(),
  user: z.string(),
  domain: z.string(),
  protocol: z.string(),
  client_ip: Text,
  client_host: Text,
  gateway_id: Id.nullable(),
  tunnels: z
    .strictObject({ connections: z.int(), sent: z.int(), received: z.int() })
    .meta({ description: 'Through our gateways: open connections, and the bytes of those that have ended' }),
  state: SessionState,
  started_at: Moment,
  last_seen_at: Moment,
  fetched_at: Moment,
});
