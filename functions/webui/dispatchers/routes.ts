import { z } from 'zod';
import { listShowing } from '../../../db/repositories/records/list-columns.ts';
import { dispatchersOfFarm } from '../../../db/repositories/sites/dispatchers.ts';
import { answerList } from '../../../shared/http/declare/list.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { listOf, listQuery } from '../../../shared/shapes/list.ts';
import { base, endpoint } from '../deps.ts';
import { dispatcherCrud } from './record.ts';
import { Dispatcher, dispatcherFilters, dispatcherSorts } from './schema.ts';
import { testSettings, testStored } from './test.ts';
import { ConnectionTestResult, TestSettings } from './test-shapes.ts';
import { createDispatcher, releaseAccount, replaceDispatcher, updateDispatcher } from './usecases.ts';

const { operations, kind, declared, target } = dispatcherCrud;
const listed = listShowing(dispatchersOfFarm, kind.view.columns);
const ofTest =
  'Resolves the name, connects, checks the certificate, obtains a session key and reads the lists. Nothing is stored. Limited to 30 requests per minute.';
const changeErrors = ['already_exists', 'secret_required'] as const;

export const dispatcherOperations = [
  ...operations,
  endpoint(
    {
      ...declared.create,
      description:
        'Creating a node does not connect to it. The sidecar probes the node periodically; `jwtauth` tests the connection.',
    },
    (ctx, { body }) => createDispatcher(ctx, body),
  ),
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceDispatcher(ctx, target(input), input.body),
  ),
  endpoint({ ...declared.update, errors: changeErrors }, (ctx, input) =>
    updateDispatcher(ctx, target(input), input.body),
  ),
  endpoint(
    {
      id: 'dispatcher.testSettings',
      route: `POST ${base}/dispatchers/test`,
      access: 'dispatchers.create',
      summary: 'Test the connection to a dispatcher node before it is created',
      description: `${ofTest} The response contains the certificate that the node presents, trusted or not.`,
      body: { required: TestSettings },
      returns: [200, ConnectionTestResult],
      errors: ['already_exists'],
      readsOnly: true,
    },
    (ctx, { body }) => testSettings(ctx, body),
  ),
  endpoint(
    {
      id: 'dispatcher.test',
      route: `POST ${base}/dispatchers/{id}/test`,
      access: 'dispatchers.update',
      summary: 'Test the connection to a dispatcher node',
      description: ofTest,
      params: z.object({ id: Id.describe('Identifier of the dispatcher.') }),
      returns: [200, ConnectionTestResult],
      readsOnly: true,
    },
    (ctx, { params }) => testStored(ctx, params.id),
  ),
  endpoint(
    {
      id: 'dispatcher.retryAccount',
      route: `POST ${base}/dispatchers/{id}/account/retry`,
      access: 'dispatchers.update',
      summary: 'Try the account of a dispatcher node again now',
      description:
        'Ends the pause after rejected logins (`account_hold`); the next call of the node logs in. Brokers block the address of a client after a few wrong passwords, so correct the account first.',
      params: z.object({ id: Id.describe('Identifier of the dispatcher.') }),
      returns: [204, null],
    },
    (ctx, { params }) => releaseAccount(ctx, params.id),
  ),
  endpoint(
    {
      id: 'farm.listDispatchers',
      route: `GET ${base}/farms/{id}/dispatchers`,
      access: 'dispatchers.read',
      summary: 'List the dispatcher nodes of a farm',
      params: z.object({ id: Id.describe('Identifier of the farm.') }),
      query: listQuery(dispatcherSorts, dispatcherFilters),
      mayLag: true,
      returns: [200, listOf(Dispatcher)],
    },
    (ctx, { params, query }) => answerList(ctx, listed, query, kind.view, params.id),
  ),
];
