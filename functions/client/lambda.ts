import { bySockets } from '../../shared/runtime/dispatchers-by-sockets.ts';
import { fleetDemands as demands } from '../../shared/runtime/fleet-deps.ts';
import { lambdaOf } from '../../shared/runtime/lambda.ts';
import { createClient } from './app.ts';
import { clientDeps } from './deps.ts';

export const handler = lambdaOf({
  create: createClient,
  depsOf: (given) => clientDeps(bySockets(given)),
  demands,
});
