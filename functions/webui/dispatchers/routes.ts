import { z } from 'zod';
import { dispatchersOfFarm } from '../../../db/repositories/dispatchers.ts';
import { Id } from '../../../shared/http/fields.ts';
import { answerList, listOf, listQuery } from '../../../shared/http/list.ts';
import { base, endpoint } from '../deps.ts';
import { dispatcherCrud } from './record.ts';
import { Dispatcher, dispatcherFilters, dispatcherSorts } from './schema.ts';
import { createDispatcher, replaceDispatcher, updateDispatcher } from './usecases.ts';

const { operations, kind, shapes } = dispatcherCrud;
const item = { access: 'dispatchers.update', sited: true, conditional: true } as const;

export const dispatcherOperations = [
  ...operations,
  endpoint(
    {
      id: 'dispatcher.create',
      route: `POST ${base}/dispatchers`,
      access: 'dispatchers.create',
      sited: true,
      summary: 'Add a dispatcher node',
      description: 'Contacts nobody; the node is probed by the sidecar, or tested with `jwtauth`.',
      body: { required: shapes.body },
      returns: [201, Dispatcher],
      errors: ['already_exists'],
    },
    (ctx, { body }) => createDispatcher(ctx, body),
  ),
  endpoint(
    {
      ...item,
      id: 'dispatcher.replace',
      route: `PUT ${base}/dispatchers/{id}`,
      summary: 'Replace a dispatcher node',
      params: z.object({ id: Id }),
      body: { required: shapes.body },
      returns: [200, Dispatcher],
      errors: ['already_exists', 'secret_required'],
    },
    (ctx, { params, body, conditions }) => replaceDispatcher(ctx, { id: params.id, conditions }, body),
  ),
  endpoint(
    {
      ...item,
      id: 'dispatcher.update',
      route: `PATCH ${base}/dispatchers/{id}`,
      summary: 'Change members of a dispatcher node (JSON Merge Patch)',
      params: z.object({ id: Id }),
      body: { required: shapes.patch },
      returns: [200, Dispatcher],
      errors: ['already_exists', 'secret_required'],
    },
    (ctx, { params, body, conditions }) => updateDispatcher(ctx, { id: params.id, conditions }, body),
  ),
  endpoint(
    {
      id: 'farm.listDispatchers',
      route: `GET ${base}/farms/{id}/dispatchers`,
      access: 'dispatchers.read',
      summary: 'List the dispatcher nodes of a farm',
      params: z.object({ id: Id }),
      query: listQuery(dispatcherSorts, dispatcherFilters),
      returns: [200, listOf(Dispatcher)],
    },
    (ctx, { params, query }) => answerList(ctx, dispatchersOfFarm, query, kind.view, params.id),
  ),
];
