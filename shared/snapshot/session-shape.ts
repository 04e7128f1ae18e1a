import { z } from 'zod';
import { sessionStates } from '../remotes/dispatcher/rows.ts';
import { Id, Moment } from '../shapes/fields.ts';
import { farmMembers } from './merged-list.ts';

export const SessionState = z.enum(sessionStates);
const Text = z.string().nullable();

/** Null means that the dispatcher does not report the value. */
export const WorkplaceSession = z.strictObject({
  session_uuid: Id.describe('Identifier of the session, assigned by the dispatcher.'),
  ...farmMembers,
  servicepool_uuid: Id.nullable().describe(
    'Identifier of the pool, assigned by the dispatcher. Null if the dispatcher does not report it.',
  ),
  servicepool_name: z
    .string()
    .nullable()
    .describe('Name of the pool. Null if the dispatcher does not report it.'),
  workplace_uuid: Id.nullable().describe(
    'Identifier of the workplace, assigned by the dispatcher. Null if the dispatcher does not report it.',
  ),
  workplace_name: z
    .string()
    .nullable()
    .describe('Name of the workplace. Null if the dispatcher does not report it.'),
  workplace_ip: z
    .string()
    .nullable()
    .describe('IP address of the workplace. Null if the dispatcher does not report it.'),
  user: z
    .string()
    .nullable()
    .describe(
      'Login name of the user, as reported by the dispatcher. Null if the dispatcher does not report it.',
    ),
  domain: z
    .string()
    .nullable()
    .describe('Label of the domain of the user. Null if the dispatcher does not report it.'),
  protocol: z
    .string()
    .nullable()
    .describe('Delivery protocol, such as `rdp` or `spice`. Null if the dispatcher does not report it.'),
  client_ip: Text.describe('IP address of the client. Null if unknown.'),
  client_host: Text.describe('Name of the client machine. Null if unknown.'),
  gateway_id: Id.nullable().describe(
    'Identifier of the gateway of the session. Null if the session uses no gateway or it is unknown.',
  ),
  tunnels: z
    .strictObject({
      connections: z.int().describe('Number of open tunnels.'),
      sent: z.int().describe('Bytes that gateways sent through closed tunnels.'),
      received: z.int().describe('Bytes that gateways received through closed tunnels.'),
    })
    .describe('Tunnels of the session through gateways of this portal.'),
  state: SessionState.describe(
    '`active`: the user is connected; `disconnected`: the session continues without a client; `unknown`: not reported.',
  ),
  started_at: Moment.nullable().describe('Start of the session. Null if the dispatcher does not report it.'),
  last_seen_at: Moment.nullable().describe(
    'Last activity of the session that the dispatcher reported. Null if the dispatcher does not report it.',
  ),
  fetched_at: Moment.describe('When the data was last read from the dispatcher or changed by an action.'),
});
