import { z } from 'zod';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/fleet/snapshot/merged-list.ts';
import { Flag, flagFilter, Id, Moment, TagName } from '../../../shared/http/fields.ts';
import { listQuery } from '../../../shared/http/list.ts';
import { machineActions } from '../../../shared/remotes/dispatcher/action-shapes.ts';
import { machineStates, workplaceStates } from '../../../shared/remotes/dispatcher/list-shapes.ts';

const State = z.enum(workplaceStates);
const MachineState = z.enum(machineStates);
const Text = z.string().nullable();

/** Null is what the dispatcher does not report. */
export const Workplace = z.strictObject({
  uuid: Id,
  name: Text,
  ...farmMembers,
  servicepool_uuid: Id.nullable(),
  servicepool_name: Text,
  unique_id: Text.meta({ description: 'MAC address', example: '52:54:00:00:00:01' }),
  hostname: Text,
  ip: Text,
  state: State,
  machine_state: MachineState,
  owner: z.strictObject({ domain: z.string(), name: z.string() }).nullable(),
  in_use: z.boolean().nullable(),
  in_use_since: Moment.nullable(),
  client_ip: Text,
  client_host: Text,
  maintenance: z.boolean().nullable(),
  tags: z.array(z.string()).nullable(),
  agent_version: Text,
  agent_seen_at: Moment.nullable(),
  revision: z.int().nullable(),
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

export const WorkplaceParams = z.object({ id: Id, servicespool_uuid: Id, workplace_uuid: Id });

export const AssignBody = z.union([
  z.strictObject({ authenticator_id: Id, user_id: Id }),
  z.strictObject({ authenticator_id: Id.nullable().optional(), user_id: z.null() }),
]);
export type AssignBody = z.output<typeof AssignBody>;

const force = z.boolean().nullable().default(false).meta({
  description: 'Also while a user works there, or where that is not known; needs `workplaces.force`',
});

export const MachineBody = z.strictObject({ action: z.enum(machineActions), force });
export const RefreshBody = z.strictObject({ force });
export const DeleteQuery = z.strictObject({
  force: Flag.optional().meta({
    description: 'Also while a user works there, or where that is not known; needs `workplaces.force`',
  }),
});
export const TagsBody = z.strictObject({ tags: z.array(TagName).max(50) });

const message = {
  title: z.string().trim().max(128).nullable().default(null),
  message: z.string().trim().min(1).max(1024).meta({ example: 'Please save your work' }),
  level: z.enum(['info', 'warning', 'error']).default('info'),
};

export const MessageBody = z.union([
  z.strictObject({ workplaces: z.array(Id).min(1).max(1000), ...message }),
  z.strictObject({ all: z.literal(true), ...message }),
]);

export const MessageResult = z.strictObject({
  delivered: z.array(Id),
  failed: z.array(z.strictObject({ workplace_uuid: Id, code: z.string().meta({ example: 'no_session' }) })),
});
