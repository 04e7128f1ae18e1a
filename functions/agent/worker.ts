import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createAgent } from './app.ts';
import { agentDeps } from './deps.ts';

export default workerOf({ create: createAgent, depsOf: agentDeps });
