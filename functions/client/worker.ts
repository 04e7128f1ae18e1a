import { byFetch } from '../../shared/runtime/edge/dispatchers-by-fetch.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createClient } from './app.ts';
import { clientDeps } from './deps.ts';

export default workerOf({
  create: createClient,
  depsOf: (ingredients) => clientDeps(byFetch(ingredients)),
  demands,
});
