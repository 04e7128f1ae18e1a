import { createModule } from '../../shared/http/app.ts';
import { authenticatorOperations } from './authenticators/routes.ts';
import type { WebuiDeps } from './deps.ts';
import { dispatcherOperations } from './dispatchers/routes.ts';
import { farmOperations } from './farms/routes.ts';
import { groupOperations } from './groups/routes.ts';
import { imageOperations } from './images/routes.ts';
import { roleOperations } from './roles/routes.ts';
import { ruleOperations } from './rules/routes.ts';
import { siteOperations } from './sites/routes.ts';
import { userOperations } from './users/routes.ts';

export const createWebui = (deps: WebuiDeps) =>
  createModule('webui', deps, [
    ...authenticatorOperations,
    ...groupOperations,
    ...userOperations,
    ...roleOperations,
    ...siteOperations,
    ...farmOperations,
    ...dispatcherOperations,
    ...ruleOperations,
    ...imageOperations,
  ]);
