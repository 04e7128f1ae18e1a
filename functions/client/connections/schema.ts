import { z } from 'zod';
import {
  Conflict,
  Explanation,
  explainQuery,
  isExplainQueryValid,
  userIdWithoutExplain,
} from '../../../shared/routing/explain-query.ts';
import { Id } from '../../../shared/shapes/fields.ts';

const clientParameters = {
  protocol: z
    .enum(['rdp', 'spice'])
    .optional()
    .describe('Preferred delivery protocol: `rdp` or `spice`. Default: selected by the dispatcher.'),
  client_version: z
    .string()
    .max(64)
    .optional()
    .describe('Version of the client component, forwarded to the dispatcher.'),
  hostname: z
    .string()
    .max(255)
    .optional()
    .describe('Name of the client machine, forwarded to the dispatcher.'),
};

export const ConnectionQuery = z.strictObject(clientParameters);
export const ReadinessQuery = z
  .strictObject({ ...clientParameters, ...explainQuery })
  .refine(isExplainQueryValid, userIdWithoutExplain);

/** Responses of nodes are checked when they are received. This shape checks only the members that the portal adds. */
export const Connection = z.looseObject({
  protocol: z
    .string()
    .meta({ example: 'rdp' })
    .describe('Delivery protocol of the connection: `rdp` or `spice`. With a link also another one.'),
  method: z
    .enum(['new', 'legacy', 'link'])
    .describe(
      'Connection method of the client component: `new` or `legacy`; `link`: the client opens `link`, and there are no other parameters.',
    ),
  link: z
    .string()
    .optional()
    .describe(
      'Link that opens the connection, with the scheme `https` or one of the system parameter `aggregator.link_schemes`. A secret that is valid once. Present only with the method `link`.',
    ),
  service_id: z.string().describe('Identifier of the service, as in the request.'),
  session_uuid: z
    .string()
    .optional()
    .describe('Identifier of the session. Absent if the dispatcher does not report it.'),
  farm_id: Id.describe('Identifier of the farm that serves the connection.'),
  host: z
    .string()
    .nullable()
    .describe(
      'Host to connect to: the gateway, or the workplace if the client connects directly. Null with a link.',
    ),
  port: z.int().nullable().describe('TCP port to connect to. Null with a link.'),
  username: z.string().describe('Login name for the workplace. Empty with a link.'),
  domain: z.string().describe('Domain for the login at the workplace. Empty if it is not set.'),
  password: z
    .string()
    .optional()
    .describe('One-time password for this connection. Absent if the client must prompt for a password.'),
  expires_in: z.int().describe('Seconds for which the parameters are valid.'),
  gateway: z
    .strictObject({
      host: z.string().describe('Host of the gateway.'),
      port: z.int().describe('TCP port of the gateway.'),
      ticket: z
        .string()
        .describe(
          'Ticket that opens up to 4 tunnels for RDP within 120 seconds of the first one, or 16 for SPICE within 30 seconds.',
        ),
      expires_in: z.int().describe('Seconds within which the first tunnel must be opened.'),
    })
    .optional()
    .describe('Gateway of the connection. Absent if the client connects directly.'),
  conflict: Conflict.optional(),
});

export const Readiness = z.looseObject({
  verdict: z
    .enum(['connect', 'wait', 'abandon'])
    .describe(
      '`connect`: the service is ready; `wait`: retry later; `abandon`: the service cannot be used now.',
    ),
  method: z.enum(['new', 'legacy']).describe('Connection method of the client component: `new` or `legacy`.'),
  protocol: z.string().describe('Delivery protocol of the connection.'),
  ready: z.boolean().describe('True if the client can connect now.'),
  state: z.string().describe('State of the service, such as `ready`, `busy` or `maintenance`.'),
  reason_code: z
    .string()
    .describe('Stable word for the cause of the result, such as `maintenance` or `gateway_unavailable`.'),
  message: z.string().optional().describe('Message for the user. Absent if not set.'),
  retry_after_ms: z
    .int()
    .optional()
    .describe('Milliseconds after which to retry. Present only with `wait`, if known.'),
  percent: z.number().optional().describe('Progress of the preparation in percent. Absent if unknown.'),
  farm_id: Id.describe('Identifier of the farm that would serve the connection.'),
  conflict: Conflict.optional(),
  explain: z
    .array(Explanation)
    .optional()
    .describe('Decisions about the members of the rule. Present only with `explain=true`. Empty for a pool.'),
});

export const ReconnectBody = z.strictObject({
  session_uuid: Id.describe('Identifier of the open session of the caller, assigned by the dispatcher.'),
});

export const Reconnection = z.strictObject({
  link: z
    .string()
    .describe(
      'Link to the session, with the scheme `https` or one of the system parameter `aggregator.link_schemes`. The previous link stops working.',
    ),
  expires_in: z.int().describe('Seconds for which the link is valid.'),
  session_uuid: Id.describe('Identifier of the session.'),
  farm_id: Id.describe('Identifier of the farm of the session.'),
});
