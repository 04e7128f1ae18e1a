import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createSsa } from './app.ts';
import { ssaDeps } from './deps.ts';

export const handler = lambdaOf({ create: createSsa, depsOf: ssaDeps });
