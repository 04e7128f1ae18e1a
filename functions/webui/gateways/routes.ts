import { patchBody } from '../../../shared/http/records/shapes.ts';
import { endpoint } from '../deps.ts';
import { gatewayCrud } from './record.ts';
import { GatewayChange } from './schema.ts';
import { createGateway, updateGateway } from './usecases.ts';

const { operations, kind, declared, target } = gatewayCrud;

export const gatewayOperations = [
  ...operations,
  endpoint(
    {
      ...declared.create,
      description: 'The response contains the token with which the gateway authenticates itself.',
      shownOnce: ['token'],
    },
    (ctx, { body }) => createGateway(ctx, body),
  ),
  endpoint(
    {
      ...declared.update,
      description: 'With `rotate_token` the response contains the new token.',
      body: { required: patchBody(GatewayChange, kind.readOnly) },
      shownOnce: ['token'],
    },
    (ctx, input) => updateGateway(ctx, target(input), input.body),
  ),
];
