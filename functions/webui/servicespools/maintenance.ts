import { poolList } from '../../../db/repositories/snapshot-lists.ts';
import { touchPool } from '../../../db/repositories/snapshot-touch.ts';
import { poolValues } from '../../../shared/fleet/snapshot/rows.ts';
import type { ListRow } from '../../../shared/remotes/dispatcher/list-shapes.ts';
import type { MaintainedKind } from '../maintenance-mode.ts';

export const maintainedPool: MaintainedKind<ListRow<'servicespools'>> = {
  type: 'servicespool',
  spec: poolList,
  tell: ({ deps }, call, uuid, order) => deps.dispatchers.setPoolMaintenance(call, uuid, order),
  write: (h, { farmId, uuid }, row, { template, message, since }) =>
    touchPool(h, farmId, uuid, {
      ...(row && poolValues(row)),
      maintenance_template_id: template,
      maintenance_message: message,
      maintenance_since: since,
    }),
};
