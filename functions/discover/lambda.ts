import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { monitorWrites } from '../../shared/runtime/write-monitor.ts';
import { createDiscover } from './app.ts';
import { discoverDeps } from './deps.ts';

export const handler = lambdaOf({
  create: createDiscover,
  depsOf: discoverDeps,
  monitorWrites,
});
