import { z } from 'zod';
import { workplaceList } from '../../../db/repositories/snapshot-lists.ts';
import { answerMerged, mergedListOf } from '../../../shared/fleet/snapshot/merged-list.ts';
import { Id } from '../../../shared/http/fields.ts';
import { viewOf } from '../../../shared/http/views.ts';
import { base, endpoint } from '../deps.ts';
import { MaintenanceBody, maintenanceErrors, setMaintenance } from '../maintenance-mode.ts';
import { maintainedWorkplace } from './maintenance.ts';
import { Workplace, WorkplaceQuery } from './schema.ts';

const view = viewOf(Workplace);

export const workplaceOperations = [
  endpoint(
    {
      id: 'workplace.list',
      route: `GET ${base}/workplaces`,
      access: 'workplaces.read',
      summary: 'List the workplaces of all farms',
      query: WorkplaceQuery,
      returns: [200, mergedListOf(Workplace)],
    },
    (ctx, { query }) => answerMerged(ctx, workplaceList, query, view),
  ),
  endpoint(
    {
      id: 'workplace.maintain',
      route: `PATCH ${base}/workplaces/{id}/maintenance/{servicespool_uuid}/{workplace_uuid}`,
      access: 'workplaces.maintenance',
      summary: 'Begin or end the maintenance of a workplace',
      description:
        '`id` is the farm. With a template it begins and ends by itself, and its user is warned before; until it starts the workplace stays as it is.',
      params: z.object({ id: Id, servicespool_uuid: Id, workplace_uuid: Id }),
      body: { required: MaintenanceBody },
      returns: [202, Workplace],
      errors: maintenanceErrors,
      sited: true,
      effects: 'dispatcher',
    },
    async (ctx, { params: { id, servicespool_uuid, workplace_uuid }, body }) => {
      const at = { farmId: id, pool: servicespool_uuid, uuid: workplace_uuid };
      return view(await setMaintenance(ctx, maintainedWorkplace, at, body));
    },
  ),
];
