import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createWsproxy } from './app.ts';
import { wsproxyDeps } from './deps.ts';

export const handler = lambdaOf({ create: createWsproxy, depsOf: wsproxyDeps });
