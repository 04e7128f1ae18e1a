import { z } from 'zod';
import { Conflict } from '../routing/explain-query.ts';
import { Id, Moment } from '../shapes/fields.ts';

/** How a user starts a service. */
export const Launch = z.enum(['rdp', 'spice', 'link']);

export const ClientService = z.strictObject({
  id: z
    .string()
    .describe(
      'Identifier of the service: the identifier of the rule, or `<farm id>.<pool uuid>` for a pool without a rule.',
    ),
  kind: z.enum(['rule', 'pool']).describe('`rule`: several pools offered as one service; `pool`: one pool.'),
  name: z.string().describe('Name shown to users: the display name of the rule, or the name of the pool.'),
  description: z.string().describe('Text shown to users. Empty if it is not set.'),
  image_url: z.string().nullable().describe('Relative address of the picture. Null if the service has none.'),
  protocols: z.array(z.string()).describe('Delivery protocols, such as `rdp` or `spice`.'),
  in_use: z
    .boolean()
    .describe('True if the dispatcher reports that the caller has a workplace of the service in use.'),
  maintenance: z.boolean().describe('True during maintenance of the service, its farm or its site.'),
  maintenance_message: z
    .string()
    .optional()
    .describe('Message for users about current or announced maintenance. Absent without maintenance.'),
  state: z
    .enum(['ready', 'busy', 'maintenance', 'unavailable'])
    .describe(
      '`ready`: ready for a connection; `busy`: being prepared; `maintenance`: blocked by maintenance; `unavailable`: cannot be used now.',
    ),
  members: z
    .int()
    .optional()
    .describe('Number of pools of the rule that the caller may use. Present only for rules.'),
  farm_id: Id.optional().describe('Identifier of the farm of the pool. Present only for pools.'),
  sessions: z
    .array(
      z.strictObject({
        session_uuid: z.string().describe('Identifier of the session, assigned by the dispatcher.'),
        state: z.string().describe('State of the session: `active` or `disconnected`.'),
        farm_id: Id.describe('Identifier of the farm of the session.'),
      }),
    )
    .describe('Open sessions of the caller on this service.'),
  conflict: Conflict.optional(),
  link: z.string().describe('Relative address of `connectionInfo` for this service.'),
  favourite: z
    .boolean()
    .describe('True if the caller has marked the service as a favourite. False in a list for another user.'),
  last_used_at: Moment.nullable().describe(
    'When the caller last received connection parameters for the service. Null if it was not used, and in a list for another user.',
  ),
  launch: Launch.nullable().describe(
    'How the caller last chose to start the service: `rdp`, `spice` or `link`. Null without a choice, and in a list for another user.',
  ),
});
