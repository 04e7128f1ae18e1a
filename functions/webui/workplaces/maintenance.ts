import { workplaceList } from '../../../db/repositories/snapshot-lists.ts';
import { touchWorkplace } from '../../../db/repositories/snapshot-touch.ts';
import { workplaceValues } from '../../../shared/fleet/snapshot/rows.ts';
import type { ListRow } from '../../../shared/remotes/dispatcher/list-shapes.ts';
import type { MaintainedKind } from '../maintenance-mode.ts';

export const maintainedWorkplace: MaintainedKind<ListRow<'workplaces'>> = {
  type: 'workplace',
  spec: workplaceList,
  tell: ({ deps }, call, uuid, order) => deps.dispatchers.setWorkplaceMaintenance(call, uuid, order),
  write: (h, { farmId, uuid }, row) => touchWorkplace(h, farmId, uuid, row ? workplaceValues(row) : {}),
};
