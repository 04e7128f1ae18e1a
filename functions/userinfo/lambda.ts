import { lambdaOf } from '../../shared/runtime/lambda.ts';
import { createUserinfo } from './app.ts';
import { userinfoDeps } from './deps.ts';

export const handler = lambdaOf({ create: createUserinfo, depsOf: userinfoDeps });
