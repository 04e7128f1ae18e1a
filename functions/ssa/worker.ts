import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createSsa } from './app.ts';
import { ssaDeps } from './deps.ts';

export default workerOf({ create: createSsa, depsOf: ssaDeps });
