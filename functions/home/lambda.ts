import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createHome } from './app.ts';
import { homeDeps } from './deps.ts';

export const handler = lambdaOf({ create: createHome, depsOf: homeDeps });
