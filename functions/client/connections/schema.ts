import { z } from 'zod';
import {
  Conflict,
  Explanation,
  explainQuery,
  explainsNobody,
  explainsWhom,
} from '../../../shared/fleet/explaining.ts';
import { Id } from '../../../shared/http/fields.ts';

const wishes = {
  protocol: z.enum(['rdp', 'spice']).optional().meta({ description: 'Preferred delivery protocol' }),
  client_version: z.string().max(64).optional(),
  hostname: z.string().max(255).optional().meta({ description: "Name of the user's machine" }),
};

export const ConnectionQuery = z.strictObject(wishes);
export const ReadinessQuery = z
  .strictObject({ ...wishes, ...explainQuery })
  .refine(explainsWhom, explainsNobody);

/** Answers of nodes are checked where they come in; here only what we add is. */
export const Connection = z.looseObject({
  protocol: z.enum(['rdp', 'spice']),
  method: z.enum(['new', 'legacy']),
  service_id: z.string(),
  session_uuid: z.string().optional(),
  farm_id: Id,
  host: z.string(),
  port: z.int(),
  username: z.string(),
  domain: z.string(),
  password: z.string().optional().meta({ description: 'One-time' }),
  expires_in: z.int(),
  gateway: z
    .strictObject({
      host: z.string(),
      port: z.int(),
      ticket: z.string().meta({
        description:
          'Opens up to 4 tunnels for RDP, whose programs may have to begin anew, and up to 16 for SPICE, whose channels are connections of their own: within 30 seconds of the first, all from the address that this was asked from',
      }),
      expires_in: z.int().meta({ description: 'Seconds in which the first tunnel must begin' }),
    })
    .optional()
    .meta({
      description: 'The way in, where one serves the site and the client; `host` and `port` are its own',
    }),
  conflict: Conflict.optional(),
});

export const Readiness = z.looseObject({
  verdict: z.enum(['connect', 'wait', 'abandon']),
  method: z.enum(['new', 'legacy']),
  protocol: z.string(),
  ready: z.boolean(),
  state: z.string(),
  reason_code: z.string(),
  message: z.string().optional(),
  retry_after_ms: z.int().optional(),
  percent: z.number().optional(),
  farm_id: Id,
  conflict: Conflict.optional(),
  explain: z.array(Explanation).optional(),
});

export const ReconnectBody = z.strictObject({ session_uuid: Id });

export const Reconnection = z.strictObject({
  link: z
    .string()
    .meta({ description: 'By https, or by a scheme of the system parameter `aggregator.link_schemes`' }),
  expires_in: z.int(),
  session_uuid: Id,
  farm_id: Id,
});
