import { lambdaOf } from '../../shared/runtime/edge/lambda.ts';
import { watchWrites } from '../../shared/runtime/writes.ts';
import { createDiscover } from './app.ts';
import { discoverDeps } from './deps.ts';

export const handler = lambdaOf({ create: createDiscover, depsOf: discoverDeps, watchWrites });
