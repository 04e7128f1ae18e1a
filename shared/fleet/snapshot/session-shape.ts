import { z } from 'zod';
import { Id, Moment } from '../../http/fields.ts';
import { farmMembers } from './merged-list.ts';

export const SessionState = z.enum(['active', 'disconnected']);
const Text = z.string().nullable();

export const WorkplaceSession = z.strictObject({
  session_uuid: Id.describe('Identifier of the session, given by the dispatcher.'),
  ...farmMembers,
  servicepool_uuid: Id.describe('Identifier of the pool, given by the dispatcher.'),
  servicepool_name: z.string().describe('Name of the pool. Empty if the dispatcher does not report it.'),
  workplace_uuid: Id.describe('Identifier of the workplace, given by the dispatcher.'),
  workplace_name: z.string().describe('Name of the workplace. Empty if the dispatcher does not report it.'),
  workplace_ip: z
    .string()
    .describe('IP address of the workplace. Empty if the dispatcher does not report it.'),
  user: z.string().describe('Login name of the user, as the dispatcher reports it.'),
  domain: z.string().describe('Label of the domain of the user. Empty if the dispatcher does not report it.'),
  protocol: z.string().describe('Delivery protocol, such as `rdp` or `spice`.'),
  client_ip: Text.describe('IP address of the client. Null if it is not known.'),
  client_host: Text.describe('Name of the client machine. Null if it is not known.'),
  gateway_id: Id.nullable().describe(
    'Identifier of the gateway of the session. Null if the session has none or it is not known.',
  ),
  tunnels: z
    .strictObject({
      connections: z.int().describe('Number of open tunnels.'),
      sent: z.int().describe('Bytes that gateways sent through tunnels that have ended.'),
      received: z.int().describe('Bytes that gateways received through tunnels that have ended.'),
    })
    .describe('Tunnels of the session through gateways of this portal.'),
  state: SessionState.describe(
    '`active`: the user is connected; `disconnected`: the session continues without a client.',
  ),
  started_at: Moment.describe('When the session began.'),
  last_seen_at: Moment.describe('Last activity of the session that the dispatcher reported.'),
  fetched_at: Moment.describe('When this row was last read from the dispatcher or changed by an action.'),
});
