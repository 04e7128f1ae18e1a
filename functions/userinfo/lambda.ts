import { directoriesBySockets } from '../../shared/runtime/edge/directories-by-sockets.ts';
import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { createUserinfo } from './app.ts';
import { userinfoDeps } from './deps.ts';

export const handler = lambdaOf({
  create: createUserinfo,
  depsOf: (ingredients) => userinfoDeps({ ...ingredients, ...directoriesBySockets(ingredients.outbound) }),
});
