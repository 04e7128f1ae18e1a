import { workerOf } from '../../shared/runtime/workers.ts';
import { createWebui } from './app.ts';
import { webuiDeps } from './deps.ts';

export default workerOf({ create: createWebui, depsOf: webuiDeps });
