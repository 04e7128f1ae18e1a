import { noteEdgePortal } from '../../shared/portals/report.ts';
import { byFetch } from '../../shared/runtime/edge/dispatchers-by-fetch.ts';
import { fleetVariables as demands } from '../../shared/runtime/edge/fleet-deps.ts';
import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createAggregator } from './app.ts';
import { aggregatorDeps } from './deps.ts';

/** Of all modules this one reports the portal, by the cron trigger of `wrangler.toml`. */
export default workerOf({
  create: createAggregator,
  depsOf: (ingredients) => aggregatorDeps(byFetch(ingredients)),
  demands,
  everyMinute: noteEdgePortal,
});
