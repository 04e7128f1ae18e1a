import { createTcp } from '../../shared/remotes/kerberos/node.ts';
import { createKdcRemote } from '../../shared/remotes/kerberos/transport.ts';
import { directoriesBySockets } from '../../shared/runtime/edge/directories-by-sockets.ts';
import { bySockets } from '../../shared/runtime/edge/dispatchers-by-sockets.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createAuth } from './app.ts';
import { authDeps } from './deps.ts';

export const handler = lambdaOf({
  create: createAuth,
  depsOf: (ingredients) =>
    authDeps({
      ...bySockets(ingredients),
      ...directoriesBySockets(ingredients.outbound),
      kdcs: createKdcRemote(createTcp(ingredients.outbound)),
    }),
  demands,
});
