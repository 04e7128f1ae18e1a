import { touchWorkplace } from '../../../db/repositories/snapshot/touch.ts';
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
import { workplaceChanges } from '../../../shared/snapshot/rows.ts';
import type { WebuiCtx } from '../deps.ts';
import { assertUnused, isDestructive } from './use.ts';

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
  return tellNode(ctx, target, verb, order);
}

/** @throws AppError as `assertUnused` for what interrupts work */
export async function driveMachine(
  ctx: WebuiCtx,
  at: WorkplaceAt,
  { action, force }: { action: MachineAction; force: boolean },
) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  if (isDestructive(action)) assertUnused(ctx, target, force);
  return tellNode(ctx, target, 'machine', { action }, { force });
}

/** @throws AppError as `assertUnused` */
export async function refreshWorkplace(ctx: WebuiCtx, at: WorkplaceAt, order: WorkplaceOrders['refresh']) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  assertUnused(ctx, target, order.force);
  return tellNode(ctx, target, 'refresh', order);
}

function tellNode<V extends Exclude<Verb, 'assign'>>(
  ctx: WebuiCtx,
  target: Target,
  verb: V,
  order: WorkplaceOrders[V],
  details: Record<string, unknown> = {},
) {
  const call = (one: Call) => ctx.deps.dispatchers.changeWorkplace(one, target.uuid, verb, order);
  const expected = 'tags' in order ? { tags: order.tags } : {};
  return actOn(ctx, target, { verb, call, expected, details: { ...order, ...details } });
}

/**
 * Deletion takes time on the node: until the next sync the workplace is shown as `removing`.
 * @throws AppError as `assertUnused`
 */
export async function deleteWorkplace(ctx: WebuiCtx, at: WorkplaceAt, force: boolean) {
  const target = await findTarget(ctx, kinds.workplace, { ...at, withUse: true });
  assertUnused(ctx, target, force);
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
};

/** One call to a node about a workplace, recorded in the snapshot and in the audit log. */
export async function actOn(
  ctx: WebuiCtx,
  target: Target,
  { verb, call, expected = {}, details = {}, released }: Doing,
): Promise<object> {
  const { object, farm, uuid } = target;
  const row = await act<Answer>(ctx, target, {
    happening: {
      event: 'portal.WorkplaceAction',
      category: 'workplace',
      action: verb,
      object_name: nameOf(target),
      details: { servicepool_uuid: object.servicepool_uuid, ...details },
    },
    call: async (one) => ({ ...expected, ...(await call(one)) }),
    written: (h, answer) => [
      touchWorkplace(h, farm.id, uuid, workplaceChanges(answer)),
      ...readAgain(h, target),
    ],
    changed: (answer) => changesOf(object, answer, concerned[verb]),
    ...(released && { released }),
  });
  return { ...object, ...row, fetched_at: ctx.now };
}
