import { z } from 'zod';
import { Id, Moment } from '../../http/fields.ts';
import { sessionStates } from '../../remotes/dispatcher/list-shapes.ts';
import { farmMembers } from './merged-list.ts';

export const SessionState = z.enum(sessionStates);
const Text = z.string().nullable();

/** Null is what the dispatcher does not report. */
export const WorkplaceSession = z.strictObject({
  session_uuid: Id,
  ...farmMembers,
  servicepool_uuid: Id.nullable(),
  servicepool_name: Text,
  workplace_uuid: Id.nullable(),
  workplace_name: Text,
  workplace_ip: Text,
  user: Text,
  domain: Text,
  protocol: Text,
  client_ip: Text,
  client_host: Text,
  gateway_id: Id.nullable(),
  tunnels: z
    .strictObject({ connections: z.int(), sent: z.int(), received: z.int() })
    .meta({ description: 'Through our gateways: open connections, and the bytes of those that have ended' }),
  state: SessionState,
  started_at: Moment.nullable(),
  last_seen_at: Moment.nullable(),
  fetched_at: Moment,
});
