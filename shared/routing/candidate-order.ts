import type { NodeAvailability } from '../sites/calls/order.ts';
import {
  byKey,
  hasSessionAt,
  isUnseen,
  keyText,
  type MemberFacts,
  type Policy,
  type RoutingFacts,
  sessionsOnMembers,
} from './facts.ts';

/**
 * Inputs that differ from call to call. `turn` increases with each call and advances `round_robin`. `random` returns
 * numbers in [0, 1).
 */
export type Chance = { turn: number; random: () => number };

/** A usable member, with the step and the reason of its place in the order. */
export type Placed = { member: MemberFacts; step: string; reason: string };
type Ranked = Placed & { rank: readonly number[] };

/**
 * Orders the members by sessions and machines of the caller, health, fullness and priority groups. The policy orders
 * members of equal rank. Without failover, health and fullness have no effect: they would pass over the first member.
 * @param members in an order that does not depend on the order of the database rows
 */
export function orderCandidates(
  facts: RoutingFacts,
  members: readonly MemberFacts[],
  chance: Chance,
): Placed[] {
  const ranked = members.map((member) => rankOf(facts, member)).sort((a, b) => compareRanks(a.rank, b.rank));
  return runsOf(ranked).flatMap((equals) => byPolicy(equals, facts.rule.policy, chance));
}

const last = Number.MAX_SAFE_INTEGER;

function rankOf(facts: RoutingFacts, member: MemberFacts): Ranked {
  const place = ownPlaceOf(facts, member);
  const [group, farm] = preferenceOf(facts, member);
  const { failover, policy } = facts.rule;
  const isFull = failover && isFullFor(facts, member);
  const isAiling = failover && !isHealthy(member.farm.nodes);
  const rank = [place?.rank ?? last, Number(isAiling), Number(isFull), group, farm];
  if (place) return { member, rank, step: 'affinity', reason: place.reason };
  if (isFull) return { member, rank, step: 'fullness', reason: 'full_lately' };
  if (group !== last) return { member, rank, step: 'priority_group', reason: 'priority_group' };
  return { member, rank, step: 'policy', reason: policy };
}

/** A full pool still has the machine of the caller. */
const isFullFor = (facts: RoutingFacts, member: MemberFacts): boolean =>
  member.full && !member.owned && !hasSessionAt(facts, member);

/**
 * The place that the caller's own sessions and machines give a member: an open session, the last request as long as
 * its session may not be seen yet, a machine, the last use. Affinity concerns sessions and last use only.
 */
function ownPlaceOf(facts: RoutingFacts, member: MemberFacts): { rank: number; reason: string } | undefined {
  const { issued } = facts;
  const affinity = affinityOf(facts);
  const sessions = sessionsOnMembers(facts);
  const at = sessions.findIndex((session) => keyText(session) === keyText(member));
  if (at >= 0 && affinity.session) return { rank: at, reason: 'live_session' };
  const isIssued = issued !== null && keyText(issued) === keyText(member);
  if (isIssued && isUnseen(issued.age_s)) {
    if (issued.outcome !== 'issued') return { rank: sessions.length, reason: issued.outcome };
    if (affinity.session) return { rank: sessions.length, reason: 'issued_lately' };
  }
  if (member.owned) return { rank: sessions.length + 1, reason: 'owned' };
  return isIssued && affinity.lastUsed ? { rank: sessions.length + 2, reason: 'last_used' } : undefined;
}

const affinityOf = ({ rule: { affinity } }: RoutingFacts) => ({
  session: affinity !== 'none',
  lastUsed: affinity === 'last_used',
});

/** True if at least one node has a closed circuit and did not fail its last probe. Other farms come last. */
export const isHealthy = (nodes: readonly NodeAvailability[]): boolean =>
  nodes.some(({ circuit, status }) => circuit === 'closed' && status !== 'fail' && status !== 'unauthorized');

/** The best priority that a priority group of the caller gives the farm. */
function preferenceOf({ preferences }: RoutingFacts, { farm_id }: MemberFacts): [number, number] {
  const own = preferences
    .filter((preference) => preference.farm_id === farm_id)
    .map(({ priority, farm_priority }): [number, number] => [priority, farm_priority]);
  return own.sort(compareRanks)[0] ?? [last, last];
}

const compareRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

/**
 * Splits the members into runs of equal rank. Rotation is within a run only. Otherwise the member after an unusable
 * farm would receive the requests of both.
 */
function runsOf(ranked: readonly Ranked[]): Ranked[][] {
  const runs: Ranked[][] = [];
  for (const one of ranked) {
    const run = runs.at(-1);
    if (run?.[0] && compareRanks(run[0].rank, one.rank) === 0) run.push(one);
    else runs.push([one]);
  }
  return runs;
}

function byPolicy(equals: readonly Ranked[], policy: Policy, { turn, random }: Chance): Placed[] {
  switch (policy) {
    case 'priority':
      return equals.toSorted((a, b) => byPriority(a, b) || byKey(a.member, b.member));
    case 'least_loaded':
      return equals.toSorted((a, b) => byUsage(a, b) || byPriority(a, b) || byKey(a.member, b.member));
    case 'round_robin':
      return turned(equals, turn);
    case 'random':
      return shuffled(equals, random);
  }
}

const byPriority = (a: Placed, b: Placed): number => a.member.priority - b.member.priority;

/** A pool without a reported usage counts as full. */
const byUsage = (a: Placed, b: Placed): number =>
  (a.member.usage_percent ?? 100) - (b.member.usage_percent ?? 100);

function turned<T>(items: readonly T[], turn: number): T[] {
  const shift = turn % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
}

/** Fisher–Yates shuffle: every order is equally likely. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}
