import type { NodeState } from '../sites/node-state.ts';
import { byKey, keyText, type MemberFacts, type RoutingFacts, sessionsOnMembers } from './facts.ts';

/** What changes from call to call: `turn` grows and moves `round_robin` on; `random` gives numbers from 0 to below 1. */
export type Chance = { turn: number; random: () => number };

/** As long as this the snapshot may not show the session of a connection that was issued. */
const unseenS = 120;

/** A member that may be used, and what puts it where it is. */
export type Placed = { member: MemberFacts; step: string; reason: string };
type Ranked = Placed & { rank: readonly number[] };

/**
 * Members in the order of trying: affinity, health, priority groups, and among equals the policy.
 * @param members in an order that does not depend on how they were read
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
  const affinity = affinityOf(facts, member);
  const [group, farm] = preferenceOf(facts, member);
  const rank = [affinity?.rank ?? last, isHealthy(member.farm.nodes) ? 0 : 1, group, farm];
  if (affinity) return { member, rank, step: 'affinity', reason: affinity.reason };
  if (group !== last) return { member, rank, step: 'priority_group', reason: 'priority_group' };
  return { member, rank, step: 'policy', reason: facts.rule.policy };
}

/** A session wins over a connection that was merely issued. */
function affinityOf(facts: RoutingFacts, member: MemberFacts): { rank: number; reason: string } | undefined {
  const { issued, rule } = facts;
  if (rule.affinity === 'none') return undefined;
  const sessions = sessionsOnMembers(facts);
  const at = sessions.findIndex((session) => keyText(session) === keyText(member));
  if (at >= 0) return { rank: at, reason: 'live_session' };
  if (!issued || keyText(issued) !== keyText(member)) return undefined;
  if (issued.age_s <= unseenS) return { rank: sessions.length, reason: 'issued_lately' };
  return rule.affinity === 'last_used' ? { rank: sessions.length, reason: 'last_used' } : undefined;
}

/** A farm whose nodes all failed their last probe, or are being tried after failures, comes after the others. */
const isHealthy = (nodes: readonly NodeState[]): boolean =>
  nodes.some(({ circuit, status }) => circuit === 'closed' && status !== 'fail' && status !== 'unauthorized');

/** The best place that any of the caller's groups gives the farm. */
function preferenceOf({ preferences }: RoutingFacts, { farm_id }: MemberFacts): [number, number] {
  const own = preferences
    .filter((preference) => preference.farm_id === farm_id)
    .map(({ priority, farm_priority }): [number, number] => [priority, farm_priority]);
  return own.sort(compareRanks)[0] ?? [last, last];
}

const compareRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** Only equals take turns: the one after a farm that is out of question would have the turns of both. */
function runsOf(ranked: readonly Ranked[]): Ranked[][] {
  const runs: Ranked[][] = [];
  for (const one of ranked) {
    const run = runs.at(-1);
    if (run?.[0] && compareRanks(run[0].rank, one.rank) === 0) run.push(one);
    else runs.push([one]);
  }
  return runs;
}

function byPolicy(
  equals: readonly Ranked[],
  policy: RoutingFacts['rule']['policy'],
  { turn, random }: Chance,
): Placed[] {
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

/** A pool that nobody has told the usage of counts as full. */
const byUsage = (a: Placed, b: Placed): number =>
  (a.member.usage_percent ?? 100) - (b.member.usage_percent ?? 100);

function turned<T>(items: readonly T[], turn: number): T[] {
  const shift = turn % items.length;
  return [...items.slice(shift), ...items.slice(0, shift)];
}

/** Fisher and Yates: every order equally likely. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}
