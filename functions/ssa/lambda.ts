import { lambdaOf } from '../../shared/runtime/lambda.ts';
import { createSsa } from './app.ts';
import { ssaDeps } from './deps.ts';

export const handler = lambdaOf({ create: createSsa, depsOf: ssaDeps });
