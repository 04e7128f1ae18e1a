import { bySockets } from '../../shared/runtime/dispatchers-by-sockets.ts';
import { fleetDemands as demands } from '../../shared/runtime/fleet-deps.ts';
import { streamingLambdaOf } from '../../shared/runtime/lambda.ts';
import { createClient } from './app.ts';
import { clientDeps } from './deps.ts';

/** A list has up to 5,000 services of each farm. */
export const handler = streamingLambdaOf({
  create: createClient,
  depsOf: (given) => clientDeps(bySockets(given)),
  demands,
});
