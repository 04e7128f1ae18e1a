import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createConsole } from './app.ts';
import { consoleDeps } from './deps.ts';

export default workerOf({ create: createConsole, depsOf: consoleDeps });
