import { createModule } from '../../shared/http/serve/app.ts';
import type { AggregatorDeps } from './deps.ts';
import { peerOperations } from './peers/routes.ts';
import { portalOperations } from './portals/routes.ts';

export const createAggregator = (deps: AggregatorDeps) =>
  createModule('aggregator', deps, [...peerOperations, ...portalOperations]);
