import { updateWorkplaceRow } from '../../../db/repositories/snapshot/write-through.ts';
import type { Capability } from '../../../shared/remotes/dispatcher/capabilities.ts';
import type { MachineAction, WorkplaceOrders } from '../../../shared/remotes/dispatcher/orders.ts';
import type { Call } from '../../../shared/remotes/dispatcher/port.ts';
import type { Answered } from '../../../shared/remotes/dispatcher/rows.ts';
import {
  act,
  changesOf,
  findTarget,
  kinds,
  nameOf,
  readAgain,
  type Target,
} from '../../../shared/sites/calls/actions.ts';
import { assertCapable } from '../../../shared/sites/calls/capable.ts';
import { workplaceChanges } from '../../../shared/snapshot/rows.ts';
import type { WebuiCtx } from '../deps.ts';
import { assertNotInUse, interruptsWork, machineNeeds } from './in-use-check.ts';

/** `pool` is set if the path contains one; the workplace must belong to it. */
export type WorkplaceAt = { farmId: string; pool?: string; uuid: string };

/** All actions but maintenance, which has a use case of its own. */
type Verb = Exclude<keyof WorkplaceOrders, 'maintenance'>;
type Answer = Answered<'workplaces'>;

/** The fields that each action changes. */
const concerned = {
  assign: ['owner'],
  machine: ['machine_state', 'state'],
  refresh: ['revision', 'machine_state', 'state', 'in_use'],
  tags: ['tags'],
  delete: ['state'],
} as const satisfies Record<Verb | 'delete', readonly string[]>;

/** Changes the workplace on its node. @returns the workplace after the change, as reported by the node */
export async function orderWorkplace<V extends Exclude<Verb, 'assign'>>(
  ctx: WebuiCtx,
  at: WorkplaceAt,
  verb: V,
  order: WorkplaceOrders[V],
) {
  const target = await findTarget(ctx, kinds.workplace, at);
  return sendToNode(ctx, target, verb, order);
}

/** @throws AppError as `assertNotInUse` for actions that interrupt work */
export async function driveMachine(
  ctx: WebuiCtx,
  at: WorkplaceAt,
  { action, force }: { action: MachineAction; force: boolean },
) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  assertCapable(target, machineNeeds(action));
  if (interruptsWork(action)) assertNotInUse(ctx, target, force);
  return sendToNode(ctx, target, 'machine', { action }, { force });
}

const refreshNeeds = ['workplace_refresh'] as const;

/** @throws AppError as `assertNotInUse` */
export async function refreshWorkplace(ctx: WebuiCtx, at: WorkplaceAt, order: WorkplaceOrders['refresh']) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  assertCapable(target, refreshNeeds);
  assertNotInUse(ctx, target, order.force);
  return sendToNode(ctx, target, 'refresh', order);
}

function sendToNode<V extends Exclude<Verb, 'assign'>>(
  ctx: WebuiCtx,
  target: Target,
  verb: V,
  order: WorkplaceOrders[V],
  details: Record<string, unknown> = {},
) {
  const call = (one: Call) => ctx.deps.dispatchers.changeWorkplace(one, target.uuid, verb, order);
  const expected = 'tags' in order ? { tags: order.tags } : {};
  return actOn(ctx, target, {
    ...{ verb, call, expected, details: { ...order, ...details } },
    ...(verb === 'tags' && { needs: ['workplace_tags'] as const }),
    ...(verb === 'refresh' && { needs: refreshNeeds }),
  });
}

/**
 * Deletion takes time on the node: until the next sync the workplace is shown as `removing`.
 * @throws AppError as `assertNotInUse`
 */
export async function deleteWorkplace(ctx: WebuiCtx, at: WorkplaceAt, force: boolean) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  assertNotInUse(ctx, target, force);
  const call = (one: Call) => ctx.deps.dispatchers.deleteWorkplace(one, at.uuid);
  return actOn(ctx, target, { verb: 'delete', call, expected: { state: 'removing' }, details: { force } });
}

type Doing = {
  verb: keyof typeof concerned;
  call: (call: Call) => Promise<Answer>;
  /** Effects of the action that the response of the node does not show. */
  expected?: Answer;
  details?: Record<string, unknown>;
  released?: NonNullable<Parameters<typeof act>[2]['released']>;
  needs?: readonly Capability[];
};

/** One call to a node about a workplace, recorded in the snapshot and in the audit log. */
export async function actOn(
  ctx: WebuiCtx,
  target: Target,
  { verb, call, expected = {}, details = {}, released, needs }: Doing,
): Promise<object> {
  const { object, farm, uuid } = target;
  const row = await act<Answer>(ctx, target, {
    audit: {
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      action: verb,
      object_name: nameOf(target),
      details: { servicepool_uuid: object.servicepool_uuid, ...details },
    },
    call: async (one) => ({ ...expected, ...(await call(one)) }),
    written: (h, answer) => [
      updateWorkplaceRow(h, farm.id, uuid, workplaceChanges(answer)),
      ...readAgain(h, target),
    ],
    changed: (answer) => changesOf(object, answer, concerned[verb]),
    ...(released && { released }),
    ...(needs && { needs }),
  });
  return { ...object, ...row, fetched_at: ctx.now };
}
