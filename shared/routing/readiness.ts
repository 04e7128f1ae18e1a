import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { isUnreachable, type NodeAvailability } from '../sites/calls/order.ts';

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
  /** The nodes of the farm refuse the user. */
  refused: boolean;
  /** The user has an open session in the pool. Maintenance ends no session, and the user may reconnect. */
  hasSession: boolean;
};

export type ObstacleReason =
  | 'site_disabled'
  | 'site_maintenance'
  | 'farm_disabled'
  | 'farm_maintenance'
  | typeof refusedReason
  | 'not_entitled'
  | 'pool_maintenance'
  | typeof unknownReason
  | 'no_node'
  | 'circuit_open';

export type Obstacle = { step: 'site' | 'farm' | 'entitlement' | 'pool' | 'node'; reason: ObstacleReason };

/** The state of a service as users see it. */
export type ServiceState = Exclude<CachedService['state'], 'unknown'>;

/** A service in an unknown state accepts no connection, not even if the user has an open session there. */
export const unknownReason = 'state_unknown';

/** The nodes of the farm have no account that the user may use. */
export const refusedReason = 'not_known_here';

type Check = Obstacle & { blocks: (facts: PoolFacts) => boolean };

/** The only place that decides on readiness. Lists, verdicts, connections, rules and explanations derive from it. */
const checks: readonly Check[] = [
  { step: 'site', reason: 'site_disabled', blocks: ({ site }) => !site.enabled },
  {
    step: 'site',
    reason: 'site_maintenance',
    blocks: ({ site, hasSession }) => site.maintenance && !hasSession,
  },
  { step: 'farm', reason: 'farm_disabled', blocks: ({ farm }) => !farm.enabled },
  {
    step: 'farm',
    reason: 'farm_maintenance',
    blocks: ({ farm, hasSession }) => farm.maintenance && !hasSession,
  },
  { step: 'entitlement', reason: refusedReason, blocks: ({ refused }) => refused },
  {
    step: 'entitlement',
    reason: 'not_entitled',
    blocks: ({ entitled, refused }) => entitled === false && !refused,
  },
  {
    step: 'pool',
    reason: 'pool_maintenance',
    blocks: ({ maintenance, hasSession }) => maintenance && !hasSession,
  },
  { step: 'pool', reason: unknownReason, blocks: ({ unknown }) => unknown },
  { step: 'node', reason: 'no_node', blocks: ({ farm }) => farm.nodes.length === 0 },
  { step: 'node', reason: 'circuit_open', blocks: ({ farm }) => isUnreachable(farm) },
];

const obstacleIn = ({ step, reason }: Check): Obstacle => ({ step, reason });

/** @returns the first obstacle to a new session; undefined if the dispatcher is to be called */
function obstacleOf(facts: PoolFacts): Obstacle | undefined {
  const found = checks.find(({ blocks }) => blocks(facts));
  return found && obstacleIn(found);
}

/** All obstacles to a new session, in the order in which they are checked. */
export const obstaclesOf = (facts: PoolFacts): Obstacle[] =>
  checks.filter(({ blocks }) => blocks(facts)).map(obstacleIn);

/** True during a maintenance of site, farm or pool, regardless of open sessions. */
const isMaintained = ({ site, farm, maintenance }: PoolFacts): boolean =>
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
