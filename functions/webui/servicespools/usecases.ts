import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { removePool, updatePoolRow } from '../../../db/repositories/snapshot/write-through.ts';
import type { Policy, PoolOrder } from '../../../shared/remotes/dispatcher/orders.ts';
import {
  act,
  callNode,
  changesOf,
  findTarget,
  isGone,
  kinds,
  nameOf,
  readAgain,
  type Target,
} from '../../../shared/sites/calls/actions.ts';
import { poolChanges } from '../../../shared/snapshot/rows.ts';
import type { WebuiCtx } from '../deps.ts';
import { PoolUpdate } from './schema.ts';

/** The settings that the administrator has seen. */
const seenIn = ({ object }: Pick<Target, 'object'>): PoolOrder =>
  Object.fromEntries(Object.keys(PoolUpdate.shape).map((name) => [name, object[name]]));

/** The members with a value: the others are not changed. */
const orderOf = (body: z.output<typeof PoolUpdate>): PoolOrder =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));

/** @returns the pool after the change, as reported by the node */
export async function updatePool(
  ctx: WebuiCtx,
  farmId: string,
  uuid: string,
  body: z.output<typeof PoolUpdate>,
) {
  const order = orderOf(body);
  const target = await findTarget(ctx, kinds.pool, { farmId, uuid });
  const row = await act(ctx, target, {
    needs: ['pool_settings'],
    audit: {
      event: 'portal.EntityAction',
      category: 'config',
      action: 'update',
      object_name: nameOf(target),
    },
    call: async (call) => ({
      ...order,
      ...(await ctx.deps.dispatchers.updatePool(call, uuid, order, seenIn(target))),
    }),
    written: (h, answer) => [updatePoolRow(h, farmId, uuid, poolChanges(answer)), ...readAgain(h, target)],
    changed: (answer) => changesOf(target.object, answer, Object.keys(PoolUpdate.shape)),
  });
  return { ...target.object, ...row, fetched_at: ctx.now };
}

/**
 * Reads the current policies from the dispatcher. The farm must be specified if several farms have a pool with
 * this identifier.
 */
export async function listPolicies(
  ctx: WebuiCtx,
  uuid: string,
  farmId: string | undefined,
): Promise<Policy[]> {
  const target = await findTarget(ctx, kinds.pool, { farmId, uuid });
  try {
    return await callNode(ctx, target, (call) => ctx.deps.dispatchers.policies(call, uuid));
  } catch (error) {
    if (isGone(error)) ctx.later(() => atomically(ctx.deps.db, (h) => removePool(h, target.farm.id, uuid)));
    throw error;
  }
}
