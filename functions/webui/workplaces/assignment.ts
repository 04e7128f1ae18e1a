import { claimWorkplace, releaseWorkplace } from '../../../db/repositories/agents/workplace-claims.ts';
import { conflict, invalid } from '../../../shared/kernel/errors.ts';
import { personKey } from '../../../shared/kernel/names/user-names.ts';
import type { WorkplaceOrders } from '../../../shared/remotes/dispatcher/orders.ts';
import type { Call } from '../../../shared/remotes/dispatcher/port.ts';
import { findTarget, kinds, type Target } from '../../../shared/sites/calls/actions.ts';
import { assertCapable, isCapableOf } from '../../../shared/sites/calls/capable.ts';
import type { WebuiCtx } from '../deps.ts';
import type { AssignBody } from './schema.ts';
import { actOn } from './usecases.ts';

type At = { farmId: string; pool: string; uuid: string };

/**
 * Assigns a workplace to a user or removes its owner. Of two concurrent requests, one is rejected before the node
 * is called. Assignments that are not in the snapshot yet are rejected by the node.
 * @throws AppError `invalid_request` for a user that does not exist; `invalid_state` if the workplace has an
 *   owner that the node cannot replace, the user already has a workplace of the pool, or another request is changing the owner
 */
export async function assignWorkplace(ctx: WebuiCtx, at: At, body: AssignBody): Promise<object> {
  const person = namedIn(body);
  const target = await findTarget(ctx, kinds.workplace, { ...at, person });
  const order = orderOf(target, person !== undefined);
  if (order.user === null) assertCapable(target, ['workplace_unassign']);
  await claim(ctx, target, at, order);
  return actOn(ctx, target, {
    verb: 'assign',
    call: (one: Call) => ctx.deps.dispatchers.changeWorkplace(one, at.uuid, 'assign', order),
    expected: {
      owner: person === undefined || order.user === null ? null : { domain: order.domain, name: order.user },
    },
    details: order,
    released: (h) => [releaseWorkplace(h, at)],
  });
}

const namedIn = (body: AssignBody) =>
  body.user_id === null ? undefined : { domainId: body.authenticator_id, userId: body.user_id };

function orderOf({ person }: Target, isNamed: boolean): WorkplaceOrders['assign'] {
  if (person) return { domain: person.domain, user: person.name };
  if (!isNamed) return { user: null };
  throw invalid({
    pointer: '/user_id',
    code: 'not_found',
    detail: 'The domain has no user with this identifier',
  });
}

async function claim(ctx: WebuiCtx, target: Target, at: At, order: WorkplaceOrders['assign']): Promise<void> {
  const replacesOwner = isCapableOf(target, ['workplace_reassign']);
  if (order.user !== null && target.object.owner !== null && !replacesOwner)
    throw conflict('other_owner', 'The workplace has an owner; remove the owner first');
  const owner = order.user === null ? null : personKey({ domain: order.domain, name: order.user });
  if (await claimWorkplace(ctx.deps.db, at, owner, replacesOwner)) return;
  throw conflict(
    'not_free',
    'The user already has a workplace of this pool, or the owner of this workplace is being changed',
  );
}
