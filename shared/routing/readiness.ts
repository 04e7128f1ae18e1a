import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { isReachable, type NodeAvailability } from '../sites/calls/order.ts';

/** The facts that decide whether a pool accepts a new session of a user. */
export type PoolFacts = {
  site: { enabled: boolean; maintenance: boolean };
  farm: { enabled: boolean; maintenance: boolean; nodes: readonly NodeAvailability[] };
  /** Maintenance of the pool, or of the user's workplace in it. */
  maintenance: boolean;
  /** The dispatcher does not report the state of the pool or of the workplace, or reports an unsupported value. */
  unknown: boolean;
  /** True if the farm's service list for the user contains the pool. Null without a fresh list. */
  entitled: boolean | null;
  /** The user has an open session in the pool. Maintenance ends no session, and the user may reconnect. */
  hasSession: boolean;
};

export type Obstacle = { step: 'site' | 'farm' | 'entitlement' | 'pool' | 'node'; reason: string };

/** The state of a service as users see it. */
export type ServiceState = Exclude<CachedService['state'], 'unknown'>;

/**
 * The only place that decides on readiness. Lists, verdicts, connections, rules and explanations derive from it.
 * @returns the first obstacle to a new session; undefined if the dispatcher is to be called
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

/** A service in an unknown state accepts no connection, not even if the user has an open session there. */
export const unknownReason = 'state_unknown';

/** True during a maintenance of site, farm or pool, regardless of open sessions. */
export const isMaintained = ({ site, farm, maintenance }: PoolFacts): boolean =>
  site.maintenance || farm.maintenance || maintenance;

/** True if a maintenance blocks the user. A user with an open session may reconnect and is not blocked. */
export const isBlocked = (facts: PoolFacts): boolean => isMaintained(facts) && !facts.hasSession;

export const isMaintenanceReason = ({ reason }: { reason: string }): boolean =>
  reason.endsWith('_maintenance');

/**
 * The state of a service in a list.
 * @param listedState state in the list of the dispatcher
 */
export function stateOf(facts: PoolFacts, listedState: CachedService['state']): ServiceState {
  if (isMaintained(facts)) return 'maintenance';
  return obstacleOf(facts) ? 'unavailable' : shownState(listedState);
}

export const shownState = (state: CachedService['state']): ServiceState =>
  state === 'unknown' ? 'unavailable' : state;
