import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { watchWrites } from '../../shared/runtime/writes.ts';
import { createDiscover } from './app.ts';
import { discoverDeps } from './deps.ts';

export default workerOf({ create: createDiscover, depsOf: discoverDeps, watchWrites });
