import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createAgent } from './app.ts';
import { agentDeps } from './deps.ts';

export const handler = lambdaOf({ create: createAgent, depsOf: agentDeps });
