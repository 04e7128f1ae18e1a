import type { z } from 'zod';
import { maintainedWorkplace } from '../../../shared/maintenance/orders.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { actionErrors } from '../../../shared/sites/calls/actions.ts';
import { base, endpoint } from '../deps.ts';
import { MaintenanceBody, setMaintenance } from '../maintenance-mode.ts';
import { assignWorkplace } from './assignment.ts';
import { sendMessage } from './messages.ts';
import {
  AssignBody,
  DeleteQuery,
  MachineBody,
  MessageBody,
  MessageResult,
  RefreshBody,
  TagsBody,
  Workplace,
  WorkplaceParams,
} from './schema.ts';
import { deleteWorkplace, driveMachine, orderWorkplace, refreshWorkplace } from './usecases.ts';

const view = viewOf(Workplace);
const atNode = { errors: actionErrors, sited: true, effects: 'dispatcher' } as const;
const description = '`id` is the identifier of the farm.';
const protects =
  'A request that would interrupt work is rejected with 409 `invalid_state` while a session is open (reason `session_live`) or its state is unknown (reason `snapshot_stale`), unless `force` is set.';

const placeOf = ({ id, servicespool_uuid, workplace_uuid }: z.output<typeof WorkplaceParams>) => ({
  farmId: id,
  pool: servicespool_uuid,
  uuid: workplace_uuid,
});

/** Actions on workplaces that are performed by their dispatchers. */
export const workplaceActionOperations = [
  endpoint(
    {
      id: 'workplace.assign',
      route: `PATCH ${base}/workplaces/{id}/assign/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.assign',
      summary: 'Assign a workplace to a user or remove its owner',
      description,
      params: WorkplaceParams,
      body: { required: AssignBody },
      returns: [200, Workplace],
      ...atNode,
    },
    async (ctx, { params, body }) => view(await assignWorkplace(ctx, placeOf(params), body)),
  ),
  endpoint(
    {
      id: 'workplace.driveMachine',
      route: `PATCH ${base}/workplaces/{id}/machine/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.power',
      summary: 'Start, stop or suspend the virtual machine of a workplace',
      description: `${description} ${protects}`,
      params: WorkplaceParams,
      body: { required: MachineBody },
      returns: [202, Workplace],
      ...atNode,
    },
    async (ctx, { params, body }) =>
      view(await driveMachine(ctx, placeOf(params), { ...body, force: body.force ?? false })),
  ),
  endpoint(
    {
      id: 'workplace.refresh',
      route: `PATCH ${base}/workplaces/{id}/refresh/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.refresh',
      summary: 'Reset a workplace to its base snapshot',
      description: `${description} ${protects}`,
      params: WorkplaceParams,
      body: { optional: RefreshBody },
      returns: [202, Workplace],
      ...atNode,
    },
    async (ctx, { params, body }) =>
      view(await refreshWorkplace(ctx, placeOf(params), { force: body?.force ?? false })),
  ),
  endpoint(
    {
      id: 'workplace.delete',
      route: `DELETE ${base}/workplaces/{id}/delete/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.delete',
      summary: 'Delete a workplace',
      description: `${description} ${protects}`,
      params: WorkplaceParams,
      query: DeleteQuery,
      returns: [202, Workplace],
      ...atNode,
    },
    async (ctx, { params, query }) => view(await deleteWorkplace(ctx, placeOf(params), query.force === true)),
  ),
  endpoint(
    {
      id: 'workplace.maintain',
      route: `PATCH ${base}/workplaces/{id}/maintenance/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.maintenance',
      summary: 'Start or end the maintenance of a workplace',
      description: `${description} A maintenance template sets the start, the end and the warnings to the user. The workplace stays in service until the start.`,
      params: WorkplaceParams,
      body: { required: MaintenanceBody },
      returns: [202, Workplace],
      ...atNode,
    },
    async (ctx, { params, body }) =>
      view(await setMaintenance(ctx, maintainedWorkplace, placeOf(params), body)),
  ),
  endpoint(
    {
      id: 'workplace.tag',
      route: `PATCH ${base}/workplaces/{id}/tags/{workplace_uuid}`,
      access: 'workplaces.tag',
      summary: 'Replace the tags of a workplace',
      description,
      params: WorkplaceParams.omit({ servicespool_uuid: true }),
      body: { required: TagsBody },
      returns: [200, Workplace],
      ...atNode,
    },
    async (ctx, { params: { id, workplace_uuid }, body }) =>
      view(await orderWorkplace(ctx, { farmId: id, uuid: workplace_uuid }, 'tags', body)),
  ),
  endpoint(
    {
      id: 'workplace.message',
      route: `POST ${base}/workplaces/{id}/message/{servicespool_uuid}`,
      access: 'workplaces.message',
      summary: 'Send a message to the users of workplaces',
      description: `${description} The message is shown in the open sessions of the given workplaces. The response lists the workplaces to which the message was delivered, and a problem code for each of the others.`,
      params: WorkplaceParams.omit({ workplace_uuid: true }),
      body: { required: MessageBody },
      returns: [200, MessageResult],
      ...atNode,
    },
    (ctx, { params: { id, servicespool_uuid }, body }) => sendMessage(ctx, id, servicespool_uuid, body),
  ),
];
