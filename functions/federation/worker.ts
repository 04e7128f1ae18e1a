import { byFetch } from '../../shared/runtime/edge/dispatchers-by-fetch.ts';
import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createFederation } from './app.ts';
import { federationDeps } from './deps.ts';

export default workerOf({
  create: createFederation,
  depsOf: (ingredients) => federationDeps(byFetch(ingredients)),
});
