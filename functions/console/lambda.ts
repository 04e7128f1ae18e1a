import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createConsole } from './app.ts';
import { consoleDeps } from './deps.ts';

export const handler = lambdaOf({ create: createConsole, depsOf: consoleDeps });
