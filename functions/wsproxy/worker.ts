import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createWsproxy } from './app.ts';
import { wsproxyDeps } from './deps.ts';

export default workerOf({ create: createWsproxy, depsOf: wsproxyDeps });
