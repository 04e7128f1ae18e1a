import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createHome } from './app.ts';
import { homeDeps } from './deps.ts';

export default workerOf({ create: createHome, depsOf: homeDeps });
