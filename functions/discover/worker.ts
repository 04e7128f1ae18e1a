import { workerOf } from '../../shared/runtime/workers.ts';
import { createDiscover } from './app.ts';
import { discoverDeps } from './deps.ts';

export default workerOf({ create: createDiscover, depsOf: discoverDeps });
