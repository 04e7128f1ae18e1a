import { z } from 'zod';
import { poolList } from '../../../db/repositories/snapshot-lists.ts';
import { answerMerged, mergedListOf } from '../../../shared/fleet/snapshot/merged-list.ts';
import { Id } from '../../../shared/http/fields.ts';
import { viewOf } from '../../../shared/http/views.ts';
import { base, endpoint } from '../deps.ts';
import { MaintenanceBody, maintenanceErrors, setMaintenance } from '../maintenance-mode.ts';
import { maintainedPool } from './maintenance.ts';
import { ServicesPool, ServicesPoolQuery } from './schema.ts';

const view = viewOf(ServicesPool);

export const servicesPoolOperations = [
  endpoint(
    {
      id: 'servicespool.list',
      route: `GET ${base}/servicespools`,
      access: 'servicespools.read',
      summary: 'List the workplace pools of all farms',
      query: ServicesPoolQuery,
      returns: [200, mergedListOf(ServicesPool)],
    },
    (ctx, { query }) => answerMerged(ctx, poolList, query, view),
  ),
  endpoint(
    {
      id: 'servicespool.maintain',
      route: `PATCH ${base}/servicespools/{id}/maintenance/{servicepool_uuid}`,
      access: 'servicespools.maintenance',
      summary: 'Begin or end the maintenance of a workplace pool',
      description:
        '`id` is the farm. With a template it begins and ends by itself, and users are warned before; until it starts the pool stays as it is.',
      params: z.object({ id: Id, servicepool_uuid: Id }),
      body: { required: MaintenanceBody },
      returns: [202, ServicesPool],
      errors: maintenanceErrors,
      sited: true,
      effects: 'dispatcher',
    },
    async (ctx, { params: { id, servicepool_uuid }, body }) =>
      view(await setMaintenance(ctx, maintainedPool, { farmId: id, uuid: servicepool_uuid }, body)),
  ),
];
