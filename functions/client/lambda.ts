import { bySockets } from '../../shared/runtime/edge/dispatchers-by-sockets.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { type StreamingLambda, streamingLambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createClient } from './app.ts';
import { clientDeps } from './deps.ts';

/** Responses are streamed, because a list contains up to 5,000 services of each farm. */
export const handler: StreamingLambda = streamingLambdaOf({
  create: createClient,
  depsOf: (ingredients) => clientDeps(bySockets(ingredients)),
  demands,
});
