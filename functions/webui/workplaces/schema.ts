import { z } from 'zod';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { flagFilter, Id, Moment } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';

const State = z.enum(['preparing', 'ready', 'in_use', 'removing', 'error', 'maintenance']);
const MachineState = z.enum(['running', 'stopped', 'suspended', 'starting', 'stopping', 'unknown']);
const Text = z.string().nullable();

export const Workplace = z.strictObject({
  uuid: Id,
  name: z.string(),
  ...farmMembers,
  servicepool_uuid: Id,
  servicepool_name: z.string(),
  unique_id: z.string().meta({ description: 'MAC address', example: '52:54:00:00:00:01' }),
  hostname: z.string(),
  ip: z.string(),
  state: State,
  machine_state: MachineState,
  owner: z.strictObject({ domain: z.string(), name: z.string() }).nullable(),
  in_use: z.boolean(),
  in_use_since: Moment.nullable(),
  client_ip: Text,
  client_host: Text,
  maintenance: z.boolean(),
  tags: z.array(z.string()),
  agent_version: Text,
  agent_seen_at: Moment.nullable(),
  revision: z.int(),
  created_at: Moment.nullable(),
  fetched_at: Moment,
});

export const WorkplaceQuery = listQuery(['name'], {
  ...farmFilters,
  servicepool_uuid: Id.optional(),
  state: State.optional(),
  machine_state: MachineState.optional(),
  owner: z
    .string()
    .max(512)
    .optional()
    .meta({ description: 'A name, or `label\\name` for that of one domain; without regard to case' }),
  in_use: flagFilter,
  maintenance: flagFilter,
  tag: z.string().max(64).optional(),
  ...refreshFlag,
});
