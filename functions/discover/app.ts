import { createModule } from '../../shared/http/serve/app.ts';
import { hasAdministration } from '../../shared/modules.ts';
import type { DiscoverDeps } from './deps.ts';
import { docsOperations } from './docs/routes.ts';
import { errorOperations } from './errors/routes.ts';
import { livenessOperations } from './liveness/routes.ts';
import { moduleOperations } from './modules/routes.ts';
import { openapiOperations } from './openapi/routes.ts';

export const createDiscover = (deps: DiscoverDeps) =>
  createModule('discover', deps, [
    ...moduleOperations,
    ...livenessOperations,
    ...errorOperations,
    // The reference is for administrators, so only portal types with administration serve it.
    ...(hasAdministration(deps.portalType) ? [...docsOperations, ...openapiOperations] : []),
  ]);
