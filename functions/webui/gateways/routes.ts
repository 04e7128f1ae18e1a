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
      description: 'The answer shows the token that the gateway calls us with, this once.',
      shownOnce: ['token'],
    },
    (ctx, { body }) => createGateway(ctx, body),
  ),
  endpoint(
    {
      ...declared.update,
      description: 'With `rotate_token` the answer shows the new token, this once.',
      body: { required: patchBody(GatewayChange, kind.readOnly) },
      shownOnce: ['token'],
    },
    (ctx, input) => updateGateway(ctx, target(input), input.body),
  ),
];
