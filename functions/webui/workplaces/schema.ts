import { z } from 'zod';
import { machineActions } from '../../../shared/remotes/dispatcher/orders.ts';
import { machineStates, workplaceStates } from '../../../shared/remotes/dispatcher/rows.ts';
import { Flag, flagFilter, Id, idOf, Moment, NodeTagNames } from '../../../shared/shapes/fields.ts';
import { listQuery } from '../../../shared/shapes/list.ts';
import { timeRanges } from '../../../shared/shapes/ranges.ts';
import { farmFilters, farmMembers, refreshFlag } from '../../../shared/snapshot/merged-list.ts';

const State = z.enum(workplaceStates);
const MachineState = z.enum(machineStates);
const Text = z.string().nullable();

/** Null if the dispatcher does not report the value. */
export const Workplace = z.strictObject({
  uuid: Id.describe('Identifier of the workplace, assigned by the dispatcher.'),
  name: z.string().nullable().describe('Name of the workplace. Null if the dispatcher does not report it.'),
  ...farmMembers,
  servicepool_uuid: Id.nullable().describe(
    'Identifier of the pool, assigned by the dispatcher. Null if the dispatcher does not report it.',
  ),
  servicepool_name: z
    .string()
    .nullable()
    .describe('Name of the pool. Null if the dispatcher does not report it.'),
  unique_id: z
    .string()
    .nullable()
    .meta({ example: '52:54:00:00:00:01' })
    .describe('MAC address of the workplace. Null if the dispatcher does not report it.'),
  hostname: z
    .string()
    .nullable()
    .describe('Host name of the machine. Null if the dispatcher does not report it.'),
  ip: z.string().nullable().describe('IP address of the machine. Null if the dispatcher does not report it.'),
  state: State.describe(
    '`preparing`, `ready`, `in_use`, `removing` (being deleted), `maintenance`, `error` or `unknown` (not reported or not recognised).',
  ),
  machine_state: MachineState.describe(
    'State of the virtual machine: `running`, `stopped`, `suspended`, `starting`, `stopping` or `unknown`.',
  ),
  owner: z
    .strictObject({
      domain: z
        .string()
        .nullable()
        .describe('Label of the domain of the owner. Null if the dispatcher does not report it.'),
      name: z.string().describe('Login name of the owner.'),
    })
    .nullable()
    .describe('User that the workplace is assigned to. Null if it is not assigned.'),
  in_use: z
    .boolean()
    .nullable()
    .describe('True while a user is working at the workplace. Null if the dispatcher does not report it.'),
  in_use_since: Moment.nullable().describe('Start of the current use. Null if it is not in use.'),
  client_ip: Text.describe('IP address of the client. Null if unknown.'),
  client_host: Text.describe('Name of the client machine. Null if unknown.'),
  maintenance: z
    .boolean()
    .nullable()
    .describe('True during maintenance of the workplace. Null if the dispatcher does not report it.'),
  tags: z
    .array(z.string())
    .nullable()
    .describe('Tags of the workplace on the dispatcher. Null if the dispatcher does not report it.'),
  agent_version: Text.describe('Version of the workplace agent. Null if unknown.'),
  agent_seen_at: Moment.nullable().describe('Last call of the workplace agent. Null if unknown.'),
  revision: z
    .int()
    .nullable()
    .describe(
      'Number of the revision of the workplace, as reported by the dispatcher. Null if the dispatcher does not report it.',
    ),
  created_at: Moment.nullable().describe(
    'When the workplace was created on the dispatcher. Null if unknown.',
  ),
  fetched_at: Moment.describe('When the data was last read from the dispatcher or changed by an action.'),
});

export const WorkplaceQuery = listQuery(['name'], {
  ...farmFilters,
  servicepool_uuid: Id.optional().describe('Only workplaces of the pool with this identifier.'),
  state: State.optional().describe('Only workplaces in this state.'),
  machine_state: MachineState.optional().describe('Only workplaces whose machine is in this state.'),
  owner: z
    .string()
    .max(512)
    .optional()
    .describe(
      'Only workplaces of this user: a name, or `label\\name` with the label of a domain. Case is ignored.',
    ),
  in_use: flagFilter.describe('Only workplaces with this value of `in_use`.'),
  maintenance: flagFilter.describe('Only workplaces with this value of `maintenance`.'),
  tag: z.string().max(64).optional().describe('Only workplaces with this tag.'),
  ...timeRanges('in_use_since', 'agent_seen_at', 'created_at'),
  ...refreshFlag,
});

export const WorkplaceParams = z.object({
  id: Id.describe('Identifier of the farm.'),
  servicespool_uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
  workplace_uuid: Id.describe('Identifier of the workplace, assigned by the dispatcher.'),
});

export const AssignBody = z.union([
  z.strictObject({
    authenticator_id: idOf('authenticator').describe('Identifier of the domain of the user.'),
    user_id: idOf('user').describe('Identifier of the new owner.'),
  }),
  z.strictObject({
    authenticator_id: idOf('authenticator')
      .nullable()
      .optional()
      .describe('Ignored: the workplace has no owner afterwards.'),
    user_id: z.null().describe('Null removes the owner.'),
  }),
]);
export type AssignBody = z.output<typeof AssignBody>;

const force = z
  .boolean()
  .nullable()
  .default(false)
  .describe(
    'If true, the action is performed even if a session is open or its state is unknown. Requires the permission `workplaces.force`. Default false.',
  );

export const MachineBody = z.strictObject({
  action: z
    .enum(machineActions)
    .describe(
      '`start` and `resume` start the machine; `shutdown` and `reboot` use its operating system, `poweroff` and `reset` do not; `suspend` preserves its memory. An action that is not possible in the current state is rejected with 409.',
    ),
  force,
});
export const RefreshBody = z.strictObject({ force });
export const DeleteQuery = z.strictObject({
  force: Flag.optional().describe(
    'If true, the workplace is deleted even if a session is open or its state is unknown. Requires the permission `workplaces.force`. Default false.',
  ),
});
export const TagsBody = z.strictObject({
  tags: NodeTagNames.describe('New tags of the workplace. They replace the current tags.'),
});

const message = {
  title: z.string().trim().max(128).nullable().default(null).describe('Title of the message. Null: none.'),
  message: z
    .string()
    .trim()
    .min(1)
    .max(1024)
    .meta({ example: 'Please save your work', 'x-multiline': true })
    .describe('Text of the message.'),
  level: z
    .enum(['info', 'warning', 'error'])
    .default('info')
    .describe('Severity that the client shows: `info`, `warning` or `error`. Default `info`.'),
};

export const MessageBody = z.union([
  z.strictObject({
    workplaces: z
      .array(Id)
      .min(1)
      .max(1000)
      .describe('Identifiers of workplaces of the pool, assigned by the dispatcher.'),
    ...message,
  }),
  z.strictObject({
    all: z.literal(true).describe('If true, the message is sent to all workplaces of the pool.'),
    ...message,
  }),
]);

export const MessageResult = z.strictObject({
  delivered: z.array(Id).describe('Identifiers of the workplaces to which the message was delivered.'),
  failed: z
    .array(
      z.strictObject({
        workplace_uuid: Id.describe('Identifier of the workplace.'),
        code: z
          .string()
          .meta({ example: 'no_session' })
          .describe('Cause of the failed delivery, such as `no_session`.'),
      }),
    )
    .describe('Workplaces to which the message was not delivered.'),
});
