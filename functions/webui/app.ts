import { createModule } from '../../shared/http/serve/app.ts';
import { auditOperations } from './audit/routes.ts';
import { authenticatorOperations } from './authenticators/routes.ts';
import { changeOperations } from './changes/routes.ts';
import { dashboardOperations } from './dashboard/routes.ts';
import type { WebuiDeps } from './deps.ts';
import { dispatcherOperations } from './dispatchers/routes.ts';
import { farmOperations } from './farms/routes.ts';
import { gatewayOperations } from './gateways/routes.ts';
import { groupOperations } from './groups/routes.ts';
import { imageOperations } from './images/routes.ts';
import { maintenanceOperations } from './maintenance/routes.ts';
import { monitoringOperations } from './monitoring/routes.ts';
import { nodeInfoOperations } from './node-info/routes.ts';
import { portalOperations } from './portals/routes.ts';
import { priorityGroupOperations } from './priority-groups/routes.ts';
import { roleOperations } from './roles/routes.ts';
import { ruleOperations } from './rules/routes.ts';
import { serviceTokenOperations } from './service-tokens/routes.ts';
import { servicesPoolOperations } from './servicespools/routes.ts';
import { siteOperations } from './sites/routes.ts';
import { workplaceSessionOperations } from './spsessions/routes.ts';
import { statusOperations } from './status/routes.ts';
import { systemParameterOperations } from './system-parameters/routes.ts';
import { tagOperations } from './tags/routes.ts';
import { userSessionOperations } from './user-sessions/routes.ts';
import { userOperations } from './users/routes.ts';
import { workplaceActionOperations } from './workplaces/action-routes.ts';
import { workplaceOperations } from './workplaces/routes.ts';

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
    ...systemParameterOperations,
    ...tagOperations,
    ...portalOperations,
    ...nodeInfoOperations,
    ...dashboardOperations,
    ...gatewayOperations,
    ...maintenanceOperations,
    ...monitoringOperations,
    ...priorityGroupOperations,
    ...auditOperations,
    ...ruleOperations,
    ...imageOperations,
    ...servicesPoolOperations,
    ...workplaceOperations,
    ...workplaceActionOperations,
    ...workplaceSessionOperations,
    ...statusOperations,
    ...changeOperations,
  ]);
