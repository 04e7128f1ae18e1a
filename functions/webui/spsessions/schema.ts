import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { timeRanges } from '../../../shared/shapes/ranges.ts';
import { farmFilters, refreshFlag } from '../../../shared/snapshot/merged-list.ts';
import { SessionState } from '../../../shared/snapshot/session-shape.ts';

export const WorkplaceSessionQuery = listQuery(
  ['started_at'],
  {
    ...farmFilters,
    servicepool_uuid: Id.optional().describe('Only sessions of the pool with this identifier.'),
    workplace_uuid: Id.optional().describe('Only sessions of the workplace with this identifier.'),
    user: z
      .string()
      .max(512)
      .optional()
      .describe(
        'Only sessions of this user: a name, or `label\\name` with the label of a domain. Case is ignored.',
      ),
    state: SessionState.optional().describe('Only sessions in this state.'),
    protocol: z.string().max(64).optional().describe('Only sessions with this protocol.'),
    ...timeRanges('started_at', 'last_seen_at'),
    ...refreshFlag,
  },
  '-started_at',
);

export const SessionParams = z.object({
  id: Id.describe('Identifier of the farm.'),
  session_uuid: Id.describe('Identifier of the session, assigned by the dispatcher.'),
});

/** The session had already ended. */
export const Gone = z.strictObject({
  result: z.literal('gone').describe('Always `gone`: the session had already ended.'),
});

export const Assistance = z.strictObject({
  url: z
    .string()
    .meta({ example: 'https://d1.north.example.com/assist/once' })
    .describe('One-time URL of the remote assistant.'),
  expires_in: z.int().meta({ example: 300 }).describe('Seconds for which the URL is valid.'),
});
