import { createTcp } from '../../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../../shared/remotes/kerberos/transport.ts';
import { changesWith } from '../../shared/runtime/changes.ts';
import { directoriesBySockets } from '../../shared/runtime/edge/directories-by-sockets.ts';
import { bySockets } from '../../shared/runtime/edge/dispatchers-by-sockets.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { type StreamingLambda, streamingLambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createWebui } from './app.ts';
import { webuiDeps } from './deps.ts';

/**
 * A stream of changes ends before the time limit of the function, which is 15 minutes. A page of 500 rows, each with thousands of ids or a certificate file, has up to 60 MB.
 */
export const handler: StreamingLambda = streamingLambdaOf({
  create: createWebui,
  depsOf: (ingredients) =>
    webuiDeps({
      ...bySockets(ingredients),
      createChanges: changesWith({ limits: { lastsMs: 840_000 } }),
      ...directoriesBySockets(ingredients.outbound),
      kdcs: createKdcRemote(createTcp(ingredients.outbound)),
    }),
  demands,
});
