import { z } from 'zod';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { Id, Moment } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

const State = z.enum(['active', 'disconnected']);
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
  state: State,
  started_at: Moment,
  last_seen_at: Moment,
  fetched_at: Moment,
});

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
    state: State.optional(),
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
