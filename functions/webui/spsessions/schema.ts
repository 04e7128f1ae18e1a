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
