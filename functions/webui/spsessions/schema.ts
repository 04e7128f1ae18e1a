import { z } from 'zod';
import { farmFilters, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { SessionState } from '../../../shared/fleet/snapshot/session-shape.ts';
import { Id } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

export const WorkplaceSessionQuery = listQuery(
  ['started_at'],
  {
    ...farmFilters,
    servicepool_uuid: Id.optional(),
    user: z
      .string()
      .max(512)
      .optional()
      .meta({ description: 'A name, or `label\\name` for that of one domain; without regard to case' }),
    state: SessionState.optional(),
    protocol: z.string().max(64).optional(),
    ...refreshFlag,
  },
  '-started_at',
);

export const SessionParams = z.object({ id: Id, session_uuid: Id });

/** The session had ended before. */
export const Gone = z.strictObject({ result: z.literal('gone') });

export const Assistance = z.strictObject({
  url: z.string().meta({ example: 'https://d1.north.example.com/assist/once' }),
  expires_in: z.int().meta({ description: 'Seconds', example: 300 }),
});
