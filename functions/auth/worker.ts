import { createKdcRemote } from '../../shared/remotes/kerberos/transport.ts';
import { createTcp } from '../../shared/remotes/kerberos/workers.ts';
import { directoriesOnWorkers } from '../../shared/runtime/edge/directories-on-workers.ts';
import { byFetch } from '../../shared/runtime/edge/dispatchers-by-fetch.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createAuth } from './app.ts';
import { authDeps } from './deps.ts';

export default workerOf({
  create: createAuth,
  depsOf: (ingredients) =>
    authDeps({
      ...byFetch(ingredients),
      ...directoriesOnWorkers(ingredients.outbound),
      kdcs: createKdcRemote(createTcp(ingredients.outbound)),
    }),
  demands,
});
