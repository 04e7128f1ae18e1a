import { z } from 'zod';
import { poolList } from '../../../db/repositories/snapshot/lists.ts';
import { maintainedPool } from '../../../shared/maintenance/orders.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import { actionErrors } from '../../../shared/sites/calls/actions.ts';
import { mergedListOf } from '../../../shared/snapshot/merged-list.ts';
import { base, endpoint } from '../deps.ts';
import { MaintenanceBody, setMaintenance } from '../maintenance-mode.ts';
import { answerMerged } from '../merged-lists.ts';
import { Preview, previewTexts } from '../previews.ts';
import { PoolPreviewBody, previewPools } from './preview.ts';
import { PolicyList, PoolUpdateBody, ServicesPool, ServicesPoolQuery } from './schema.ts';
import { listPolicies, updatePool } from './usecases.ts';

const view = viewOf(ServicesPool);
const poolParams = z.object({
  id: Id.describe('Identifier of the farm.'),
  servicepool_uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
});

export const servicesPoolOperations = [
  endpoint(
    {
      id: 'servicespool.list',
      route: `GET ${base}/servicespools`,
      access: 'servicespools.read',
      summary: 'List the service pools of all farms',
      query: ServicesPoolQuery,
      mayLag: true,
      returns: [200, mergedListOf(ServicesPool)],
    },
    (ctx, { query }) => answerMerged(ctx, poolList, query, view),
  ),
  endpoint(
    {
      id: 'servicespool.update',
      route: `PUT ${base}/servicespools/{id}/update/{servicepool_uuid}`,
      access: 'servicespools.update',
      summary: 'Change a service pool on its dispatcher',
      description: '`id` is the identifier of the farm.',
      params: poolParams,
      body: { required: PoolUpdateBody },
      returns: [200, ServicesPool],
      errors: actionErrors,
      sited: true,
      effects: 'dispatcher',
    },
    async (ctx, { params: { id, servicepool_uuid }, body }) =>
      view(await updatePool(ctx, id, servicepool_uuid, body)),
  ),
  endpoint(
    {
      id: 'servicespool.maintain',
      route: `PATCH ${base}/servicespools/{id}/maintenance/{servicepool_uuid}`,
      access: 'servicespools.maintenance',
      summary: 'Start or end the maintenance of a service pool',
      description:
        '`id` is the identifier of the farm. A maintenance template sets the start, the end and the warnings to users. The pool stays in service until the start.',
      params: poolParams,
      body: { required: MaintenanceBody },
      returns: [202, ServicesPool],
      errors: actionErrors,
      sited: true,
      effects: 'dispatcher',
    },
    async (ctx, { params: { id, servicepool_uuid }, body }) =>
      view(await setMaintenance(ctx, maintainedPool, { farmId: id, uuid: servicepool_uuid }, body)),
  ),
  endpoint(
    {
      id: 'servicespool.policies',
      route: `GET ${base}/servicespools/{service_pool_uuid}/policies`,
      access: 'servicespools.read',
      summary: 'List the current policies of a service pool',
      description:
        'The policies are read from the dispatcher. If several farms have a pool with this identifier, select one with `farm_id`.',
      params: z.object({
        service_pool_uuid: Id.describe('Identifier of the pool, assigned by the dispatcher.'),
      }),
      query: z.strictObject({
        farm_id: Id.optional().describe(
          'Identifier of the farm. Required if several farms have a pool with this identifier.',
        ),
      }),
      returns: [200, PolicyList],
      errors: actionErrors,
    },
    (ctx, { params, query }) => listPolicies(ctx, params.service_pool_uuid, query.farm_id),
  ),
  endpoint(
    {
      id: 'servicespool.preview',
      route: `POST ${base}/servicespools/preview`,
      access: 'servicespools.read',
      summary: 'Show what an action would do to service pools',
      body: { required: PoolPreviewBody },
      returns: [200, Preview],
      ...previewTexts,
    },
    (ctx, { body }) => previewPools(ctx, body),
  ),
];
