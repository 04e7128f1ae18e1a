import { createModule } from '../../shared/http/app.ts';
import { authenticatorOperations } from './authenticators/routes.ts';
import type { WebuiDeps } from './deps.ts';
import { dispatcherOperations } from './dispatchers/routes.ts';
import { farmOperations } from './farms/routes.ts';
import { groupOperations } from './groups/routes.ts';
import { roleOperations } from './roles/routes.ts';
import { serviceTokenOperations } from './service-tokens/routes.ts';
import { siteOperations } from './sites/routes.ts';
import { userSessionOperations } from './user-sessions/routes.ts';
import { userOperations } from './users/routes.ts';

export const createWebui = (deps: WebuiDeps) =>
  createModule('webui', deps, [
    ...authenticatorOperations,
    ...groupOperations,
    ...userOperations,
    ...serviceTokenOperations,
    ...userSessionOperations,
    ...roleOperations,
    ...siteOperations,
    ...farmOperations,
    ...dispatcherOperations,
  ]);
