import { workerOf } from '../../shared/runtime/workers.ts';
import { createAggregator } from './app.ts';
import { aggregatorDeps } from './deps.ts';

export default workerOf({ create: createAggregator, depsOf: aggregatorDeps });
