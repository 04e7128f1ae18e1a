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
import { Dispatcher, DispatcherWrite } from './dispatchers/schema.ts';
import { exportOperations } from './exports/routes.ts';
import { farmCrud } from './farms/record.ts';
import { farmOperations } from './farms/routes.ts';
import { Farm, FarmWrite } from './farms/schema.ts';
import { gatewayCrud } from './gateways/record.ts';
import { gatewayOperations } from './gateways/routes.ts';
import { groupCrud } from './groups/record.ts';
import { groupOperations } from './groups/routes.ts';
import { pictureOperations } from './images/picture-routes.ts';
import { pictureCrud } from './images/record.ts';
import { imageOperations } from './images/routes.ts';
import { issuedTokenOperations } from './issued-tokens/routes.ts';
import { lockOutOperations } from './lock-outs/routes.ts';
import { loginSessionOperations } from './login-sessions/routes.ts';
import { maintenanceCrud } from './maintenance/record.ts';
import { maintenanceOperations } from './maintenance/routes.ts';
import { monitoringOperations } from './monitoring/routes.ts';
import { nodeInfoOperations } from './node-info/routes.ts';
import { portalUserOperations } from './portal-users/routes.ts';
import { portalOperations } from './portals/routes.ts';
import { priorityGroupCrud } from './priority-groups/routes.ts';
import { roleCrud } from './roles/record.ts';
import { roleOperations } from './roles/routes.ts';
import { ruleCrud } from './rules/record.ts';
import { ruleOperations } from './rules/routes.ts';
import { searchOf } from './search/routes.ts';
import { serviceTokenOperations } from './service-tokens/routes.ts';
import { servicesPoolOperations } from './servicespools/routes.ts';
import { setupOperations } from './setup/routes.ts';
import { siteCrud } from './sites/record.ts';
import { siteOperations } from './sites/routes.ts';
import { Site, SiteWrite } from './sites/schema.ts';
import { workplaceSessionOperations } from './spsessions/routes.ts';
import { systemParameterOperations } from './system-parameters/routes.ts';
import { tagCrud } from './tags/record.ts';
import { tagOperations } from './tags/routes.ts';
import { userSessionOperations } from './user-sessions/routes.ts';
import { userCrud } from './users/record.ts';
import { userOperations } from './users/routes.ts';
import { webhookCrud } from './webhooks/record.ts';
import { webhookOperations } from './webhooks/routes.ts';
import { workplaceActionOperations } from './workplaces/action-routes.ts';
import { workplaceOperations } from './workplaces/routes.ts';

const operations: Operation<WebuiDeps>[] = [
  ...authenticatorOperations,
  ...groupOperations,
  ...userOperations,
  ...serviceTokenOperations,
  ...userSessionOperations,
  ...portalUserOperations,
  ...loginSessionOperations,
  ...lockOutOperations,
  ...issuedTokenOperations,
  ...roleOperations,
  ...siteOperations,
  ...setupOperations({
    site: { kind: siteCrud.kind, write: SiteWrite, view: Site },
    farm: { kind: farmCrud.kind, write: FarmWrite, view: Farm },
    dispatcher: { kind: dispatcherCrud.kind, write: DispatcherWrite, view: Dispatcher },
  }),
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
  ...pictureOperations,
  ...servicesPoolOperations,
  ...workplaceOperations,
  ...workplaceActionOperations,
  ...workplaceSessionOperations,
  ...changeOperations,
  ...webhookOperations,
];

/** The record types that administrators write: they have a history and are found by their names. */
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
  pictureCrud,
  webhookCrud,
];

const histories = administered.flatMap((crud) => historyOf<WebuiDeps>(crud, operations));

export const createWebui = (deps: WebuiDeps) =>
  createModule('webui', deps, [...operations, ...histories, ...searchOf(administered)]);
