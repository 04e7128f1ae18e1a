import { createModule } from '../../shared/http/app.ts';
import type { DiscoverDeps } from './deps.ts';
import { errorOperations } from './errors/routes.ts';
import { livenessOperations } from './liveness/routes.ts';
import { moduleOperations } from './modules/routes.ts';

export const createDiscover = (deps: DiscoverDeps) =>
  createModule('discover', deps, [...moduleOperations, ...livenessOperations, ...errorOperations]);
