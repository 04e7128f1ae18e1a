import { atomically, type Db, type Statement } from '../../../../db/client.ts';
import { maintenanceRecord } from '../../../../db/repositories/maintenance/records.ts';
import { finishStep } from '../../../../db/repositories/maintenance/steps.ts';
import {
  dropWindow,
  ifStillOpen,
  isPresent,
  mustStill,
} from '../../../../db/repositories/maintenance/windows.ts';
import { appendMonitoring } from '../../../../db/repositories/monitoring/records.ts';
import {
  type MaintainedKind,
  maintainedPool,
  maintainedWorkplace,
  maintenanceAction,
  noMaintenance,
} from '../../../../shared/maintenance/orders.ts';
import { actAs, callNode, findTarget } from '../../../../shared/sites/calls/actions.ts';
import { type ClaimedStep, messageOf } from './claimed-step.ts';

/** Sets or clears the maintenance flag of a pool or workplace on its node. */
export async function setFlag(work: ClaimedStep, maintenance: boolean): Promise<void> {
  const { pool_uuid: pool, workplace_uuid: workplace } = work.window;
  if (pool === null) return;
  if (workplace === null) return order(work, maintainedPool, { uuid: pool }, maintenance);
  return order(work, maintainedWorkplace, { uuid: workplace, pool }, maintenance);
}

async function order<Row extends object>(
  work: ClaimedStep,
  kind: MaintainedKind<Row>,
  at: { uuid: string; pool?: string },
  maintenance: boolean,
): Promise<void> {
  const { ctx, window, createEntry } = work;
  const find = () => findTarget(ctx, kind.kind, { ...at, farmId: work.step.farm_id });
  const target = await find();
  const action = maintenanceAction(kind, target, ctx.deps.dispatchers, {
    order: { maintenance, message: maintenance ? messageOf(window) : undefined },
    stored: maintenance ? { maintenance_since: ctx.now } : noMaintenance,
    details: {},
    alongside: (h) => settled(h, work),
  });
  if (await ifStillOpen(actAs(ctx, createEntry, target, action))) return;
  // The maintenance was cancelled or renewed while the request to the node was in progress. The later change takes
  // precedence, so it is sent to the node as well.
  const isMaintenanceOrdered = (await find()).object.maintenance === true;
  if (isMaintenanceOrdered !== maintenance)
    await callNode(ctx, target, (call) =>
      kind.send(ctx.deps.dispatchers, call, at.uuid, { maintenance: isMaintenanceOrdered }),
    );
}

/** Completes a step that no longer has anything to do. */
export const settle = async (work: ClaimedStep): Promise<unknown> =>
  ifStillOpen(atomically(work.ctx.deps.db, (h) => settled(h, work)));

/** Completes the step. The last step also ends the window. */
const settled = (h: Db, { ctx, window, step }: ClaimedStep): Statement[] => [
  mustStill(h, window.id, isPresent),
  ...(step.phase === 'clear'
    ? [
        appendMonitoring(h, maintenanceRecord(window, 'ended', window.template_id, ctx.now)),
        dropWindow(h, window.about),
      ]
    : [finishStep(h, step, ctx.now)]),
];
