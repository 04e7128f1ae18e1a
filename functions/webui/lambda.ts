import { lambdaOf } from '../../shared/runtime/lambda.ts';
import { createWebui } from './app.ts';
import { webuiDeps } from './deps.ts';

export const handler = lambdaOf({ create: createWebui, depsOf: webuiDeps });
