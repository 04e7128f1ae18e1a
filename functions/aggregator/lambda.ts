import { noteEdgePortal } from '../../shared/portals/report.ts';
import { bySockets } from '../../shared/runtime/edge/dispatchers-by-sockets.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { type StreamingLambda, streamingLambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createAggregator } from './app.ts';
import { aggregatorDeps } from './deps.ts';

/**
 * A page of 500 peers, each with keys and a certificate file, has up to 20 MB. Of all modules this one reports the
 * portal, when a schedule of EventBridge invokes it.
 */
export const handler: StreamingLambda = streamingLambdaOf({
  create: createAggregator,
  depsOf: (ingredients) => aggregatorDeps(bySockets(ingredients)),
  demands,
  everyMinute: noteEdgePortal,
});
