import { type AdminFarm, findAdminFarm } from '../../db/repositories/admin-farms.ts';
import type { Scope } from '../../db/repositories/scope.ts';
import { notFound } from '../kernel/errors.ts';
import type { Call } from '../remotes/dispatcher/port.ts';
import { aggregator } from './dispatcher-keys.ts';
import { callFarm, type FarmCtx } from './farm-calls.ts';

/**
 * A farm in the form that `callFarm` takes; one round trip.
 * @throws AppError `not_found`, also for a farm out of scope
 */
export async function loadFarm(ctx: FarmCtx & { scope: Scope }, farmId: string): Promise<AdminFarm> {
  const found = await findAdminFarm(ctx.deps.db, farmId, ctx.scope);
  if (!found) throw notFound();
  return found;
}

/** Calls the farm with a session of the aggregator itself. @param nodes as `callFarm` takes it */
export const callAsAggregator = <T>(
  ctx: FarmCtx,
  { site, farm }: Pick<AdminFarm, 'farm'> & { site: { uri: string } },
  call: (call: Call) => Promise<T>,
  nodes?: number,
): Promise<T> => callFarm(ctx, site, farm, aggregator, call, undefined, nodes);
