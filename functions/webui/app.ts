import type { Operation } from '../../shared/http/declare/operation.ts';
import { historyOf } from '../../shared/http/records/history/operations.ts';
import { createModule } from '../../shared/http/serve/app.ts';
import { auditOperations } from './audit/routes.ts';
import { authenticatorCrud } from './authenticators/record.ts';
import { authenticatorOperations } from './authenticators/routes.ts';
import { certificateOperations } from './certificates/routes.ts';
import { changeOperations } from './changes/routes.ts';
import { dashboardOperations } from './dashboard/routes.ts';
import type { WebuiDeps } from './deps.ts';
import { dispatcherCrud } from './dispatchers/record.ts';
import { dispatcherOperations } from './dispatchers/routes.ts';
import { exportOperations } from './exports/routes.ts';
import { farmCrud } from './farms/record.ts';
import { farmOperations } from './farms/routes.ts';
import { gatewayCrud } from './gateways/record.ts';
import { gatewayOperations } from './gateways/routes.ts';
import { groupCrud } from './groups/record.ts';
import { groupOperations } from './groups/routes.ts';
import { imageOperations } from './images/routes.ts';
import { maintenanceCrud } from './maintenance/record.ts';
import { maintenanceOperations } from './maintenance/routes.ts';
import { monitoringOperations } from './monitoring/routes.ts';
import { nodeInfoOperations } from './node-info/routes.ts';
import { portalOperations } from './portals/routes.ts';
import { priorityGroupCrud } from './priority-groups/routes.ts';
import { roleCrud } from './roles/record.ts';
import { roleOperations } from './roles/routes.ts';
import { ruleCrud } from './rules/record.ts';
import { ruleOperations } from './rules/routes.ts';
import { serviceTokenOperations } from './service-tokens/routes.ts';
import { servicesPoolOperations } from './servicespools/routes.ts';
import { siteCrud, siteOperations } from './sites/routes.ts';
import { workplaceSessionOperations } from './spsessions/routes.ts';
import { systemParameterOperations } from './system-parameters/routes.ts';
import { tagCrud } from './tags/record.ts';
import { tagOperations } from './tags/routes.ts';
import { userSessionOperations } from './user-sessions/routes.ts';
import { userCrud } from './users/record.ts';
import { userOperations } from './users/routes.ts';
import { workplaceActionOperations } from './workplaces/action-routes.ts';
import { workplaceOperations } from './workplaces/routes.ts';

const operations: Operation<WebuiDeps>[] = [
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
  ...certificateOperations,
  ...gatewayOperations,
  ...maintenanceOperations,
  ...monitoringOperations,
  ...priorityGroupCrud.operations,
  ...auditOperations,
  ...exportOperations,
  ...ruleOperations,
  ...imageOperations,
  ...servicesPoolOperations,
  ...workplaceOperations,
  ...workplaceActionOperations,
  ...workplaceSessionOperations,
  ...changeOperations,
];

/** The record types with a history. */
const administered = [
  authenticatorCrud,
  groupCrud,
  userCrud,
  roleCrud,
  siteCrud,
  farmCrud,
  dispatcherCrud,
  tagCrud,
  gatewayCrud,
  maintenanceCrud,
  priorityGroupCrud,
  ruleCrud,
];

const histories = administered.flatMap((crud) => historyOf<WebuiDeps>(crud, operations));

export const createWebui = (deps: WebuiDeps) => createModule('webui', deps, [...operations, ...histories]);
