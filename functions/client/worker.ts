import { byFetch } from '../../shared/runtime/dispatchers-by-fetch.ts';
import { fleetDemands as demands } from '../../shared/runtime/fleet-deps.ts';
import { workerOf } from '../../shared/runtime/workers.ts';
import { createClient } from './app.ts';
import { clientDeps } from './deps.ts';

export default workerOf({ create: createClient, depsOf: (given) => clientDeps(byFetch(given)), demands });
