import type { Message, PoolUpdate } from '../bodies.ts';
import { Refusal } from '../refusal.ts';
import type { Pool } from './rows.ts';
import { addTag, type DispatcherState } from './state.ts';

/**
 * Omitted values are not changed.
 * @throws Refusal 409 for a taken name, 422 when more is prepared than the pool may contain
 */
export function updatePool(state: DispatcherState, pool: Pool, update: PoolUpdate): void {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const { name, initial_srvs, max_srvs } = { ...pool, ...Object.fromEntries(given) };
  if (state.pools.all().some((other) => other !== pool && other.name === name)) {
    throw new Refusal(409, 'already_exists', 'Another pool has this name');
  }
  if (initial_srvs > max_srvs) {
    throw new Refusal(422, 'invalid_request', 'initial_srvs is more than max_srvs');
  }
  state.changePool(pool.name, Object.fromEntries(given));
  for (const tag of update.tags ?? []) addTag(state, tag);
}

/** Delivers to workplaces with an active session; without one, a workplace has no recipient. */
export function sendMessage(state: DispatcherState, pool: Pool, order: Message) {
  const working = pool.members.filter(({ session }) => session?.state === 'active').map(({ uuid }) => uuid);
  const wanted = order.workplaces ?? working;
  const delivered = wanted.filter((uuid) => working.includes(uuid));
  const { title = null, message, level } = order;
  state.messages.push(...delivered.map((workplace_uuid) => ({ workplace_uuid, title, message, level })));
  const members = new Set(pool.members.map(({ uuid }) => uuid));
  const failed = wanted
    .filter((uuid) => !delivered.includes(uuid))
    .map((workplace_uuid) => ({
      workplace_uuid,
      code: members.has(workplace_uuid) ? 'no_session' : 'not_found',
    }));
  return { delivered, failed };
}
