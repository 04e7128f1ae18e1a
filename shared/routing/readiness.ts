import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { isReachable, type NodeState } from '../sites/calls/order.ts';

/** What decides whether a pool takes a new session of a user. */
export type PoolFacts = {
  site: { enabled: boolean; maintenance: boolean };
  farm: { enabled: boolean; maintenance: boolean; nodes: readonly NodeState[] };
  /** Of the pool itself, or of the workplace of the user in it. */
  maintenance: boolean;
  /** The dispatcher does not report the state of either, or not in a word that we know. */
  unknown: boolean;
  /** What the farm's own list says of the user; null when there is no fresh one. */
  entitled: boolean | null;
  /** The user has a live session in the pool: maintenance ends no session, and the user may reconnect. */
  hasSession: boolean;
};

export type Obstacle = { step: 'site' | 'farm' | 'entitlement' | 'pool' | 'node'; reason: string };

/** The state of a service as users see it. */
export type ServiceState = Exclude<CachedService['state'], 'unknown'>;

/**
 * The one decision on readiness: lists, verdicts, connections, rules and explanations derive from it.
 * @returns the first thing that keeps the user from a new session; undefined when the dispatcher is to be asked
 */
export function obstacleOf(facts: PoolFacts): Obstacle | undefined {
  const { site, farm, entitled, hasSession } = facts;
  if (!site.enabled) return { step: 'site', reason: 'site_disabled' };
  if (site.maintenance && !hasSession) return { step: 'site', reason: 'site_maintenance' };
  if (!farm.enabled) return { step: 'farm', reason: 'farm_disabled' };
  if (farm.maintenance && !hasSession) return { step: 'farm', reason: 'farm_maintenance' };
  if (entitled === false) return { step: 'entitlement', reason: 'not_entitled' };
  if (facts.maintenance && !hasSession) return { step: 'pool', reason: 'pool_maintenance' };
  if (facts.unknown) return { step: 'pool', reason: unknownReason };
  if (farm.nodes.length === 0) return { step: 'node', reason: 'no_node' };
  if (!isReachable(farm.nodes)) return { step: 'node', reason: 'circuit_open' };
  return undefined;
}

/** A state that is not known is never one to connect in, whatever the user has there. */
export const unknownReason = 'state_unknown';

/** True while a maintenance of site, farm or pool keeps new sessions out, also for a user who may reconnect. */
export const isMaintained = ({ site, farm, maintenance }: PoolFacts): boolean =>
  site.maintenance || farm.maintenance || maintenance;

/** True when a maintenance keeps the user out: one who has a live session may reconnect. */
export const isBlocked = (facts: PoolFacts): boolean => isMaintained(facts) && !facts.hasSession;

export const isMaintenanceReason = ({ reason }: { reason: string }): boolean =>
  reason.endsWith('_maintenance');

/**
 * The state that a list shows.
 * @param told the state in the list of the dispatcher
 */
export function stateOf(facts: PoolFacts, told: CachedService['state']): ServiceState {
  if (isMaintained(facts)) return 'maintenance';
  return obstacleOf(facts) ? 'unavailable' : shownState(told);
}

export const shownState = (state: CachedService['state']): ServiceState =>
  state === 'unknown' ? 'unavailable' : state;
