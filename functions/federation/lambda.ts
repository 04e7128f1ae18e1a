import { bySockets } from '../../shared/runtime/edge/dispatchers-by-sockets.ts';
import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createFederation } from './app.ts';
import { federationDeps } from './deps.ts';

export const handler = lambdaOf({
  create: createFederation,
  depsOf: (ingredients) => federationDeps(bySockets(ingredients)),
});
