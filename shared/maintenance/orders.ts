import type { Db, Statement } from '../../db/client.ts';
import { updatePoolRow, updateWorkplaceRow } from '../../db/repositories/snapshot/write-through.ts';
import type { Capability } from '../remotes/dispatcher/capabilities.ts';
import type { MaintenanceOrder } from '../remotes/dispatcher/orders.ts';
import type { Call, DispatcherActions } from '../remotes/dispatcher/port.ts';
import type { Answered } from '../remotes/dispatcher/rows.ts';
import { type Action, changesOf, kinds, nameOf, readAgain, type Target } from '../sites/calls/actions.ts';
import { poolChanges, workplaceChanges } from '../snapshot/rows.ts';

/** Maintenance data of a pool that only the portal stores. For a workplace the portal stores none. */
export type StoredMaintenance = {
  maintenance_template_id?: string | null;
  maintenance_message?: string | null;
  maintenance_since?: Date | null;
};

export const noMaintenance: Required<StoredMaintenance> = {
  maintenance_template_id: null,
  maintenance_message: null,
  maintenance_since: null,
};

/**
 * A kind of object whose maintenance flag dispatchers store: the call that sets the flag, and the statement that writes
 * it.
 */
export type MaintainedKind<Row extends { maintenance?: boolean | null }> = {
  type: 'servicespool' | 'workplace';
  kind: typeof kinds.pool | typeof kinds.workplace;
  needs: readonly Capability[];
  send: (node: DispatcherActions, call: Call, uuid: string, order: MaintenanceOrder) => Promise<Row>;
  /** @param row undefined if the node has not been called yet */
  write: (h: Db, farmId: string, uuid: string, row: Row | undefined, stored: StoredMaintenance) => Statement;
};

export const maintainedPool: MaintainedKind<Answered<'servicespools'>> = {
  type: 'servicespool',
  kind: kinds.pool,
  needs: ['pool_maintenance', 'pool_access'],
  send: (node, call, uuid, order) => node.maintainPool(call, uuid, order),
  write: (h, farmId, uuid, row, noted) =>
    updatePoolRow(h, farmId, uuid, { ...(row && poolChanges(row)), ...noted }),
};

export const maintainedWorkplace: MaintainedKind<Answered<'workplaces'>> = {
  type: 'workplace',
  kind: kinds.workplace,
  needs: ['workplace_maintenance'],
  send: (node, call, uuid, order) => node.changeWorkplace(call, uuid, 'maintenance', order),
  write: (h, farmId, uuid, row) => updateWorkplaceRow(h, farmId, uuid, row ? workplaceChanges(row) : {}),
};

type Ordered = {
  order: MaintenanceOrder;
  stored: StoredMaintenance;
  details: Record<string, unknown>;
  /** Statements of the same batch, after the object. All writers of both take the row locks in this order. */
  alongside: (h: Db) => Statement[];
};

/** The action that sets or clears the maintenance flag of an object on a node. */
export const maintenanceAction = <Row extends { maintenance?: boolean | null }>(
  { send, write, needs }: MaintainedKind<Row>,
  target: Target,
  node: DispatcherActions,
  { order, stored, details, alongside }: Ordered,
): Action<Row | undefined> => ({
  needs,
  audit: {
    event: 'portal.WorkplaceAction',
    category: 'workplace',
    action: 'maintenance',
    object_name: nameOf(target),
    details: { maintenance: order.maintenance, ...details },
  },
  call: async (call) => ({
    maintenance: order.maintenance,
    ...(await send(node, call, target.uuid, order)),
  }),
  written: (h, row) => [
    write(h, target.farm.id, target.uuid, row, stored),
    ...(row ? readAgain(h, target) : []),
    ...alongside(h),
  ],
  changed: (row) => changesOf(target.object, row ?? target.object, ['maintenance']),
});
