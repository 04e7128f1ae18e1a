import { directoriesOnWorkers } from '../../shared/runtime/edge/directories-on-workers.ts';
import { workerOf } from '../../shared/runtime/edge/workers.ts';
import { createUserinfo } from './app.ts';
import { userinfoDeps } from './deps.ts';

export default workerOf({
  create: createUserinfo,
  depsOf: (ingredients) => userinfoDeps({ ...ingredients, ...directoriesOnWorkers(ingredients.outbound) }),
});
