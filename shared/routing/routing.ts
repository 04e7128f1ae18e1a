import type { NodeAvailability } from '../sites/calls/order.ts';
import { obstacleOf, obstaclesOf, type PoolFacts } from './readiness.ts';

type Policy = 'priority' | 'round_robin' | 'least_loaded' | 'random';
type Affinity = 'session' | 'last_used' | 'none';

export type MemberFacts = Omit<PoolFacts, 'site' | 'hasSession'> & {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  /** Null if the dispatcher does not report it. */
  usage_percent: number | null;
};

export type LiveSession = {
  session_uuid: string;
  farm_id: string;
  servicepool_uuid: string;
  state: string;
  started_at: string | null;
};

/** The facts that decide about one rule for one caller. The order of the lists has no effect. */
export type RoutingFacts = {
  /** `usable`: the rule is assigned to the caller. */
  rule: { enabled: boolean; usable: boolean; policy: Policy; failover: boolean; affinity: Affinity };
  site: { enabled: boolean; maintenance: boolean };
  members: readonly MemberFacts[];
  sessions: readonly LiveSession[];
  /** The last connection issued to the caller through the rule; its age in seconds. */
  issued: (Key & { age_s: number }) | null;
  /** The caller's priority groups, one row for each farm. */
  preferences: readonly { priority: number; farm_id: string; farm_priority: number }[];
};

/** The caller's sessions on members of the rule: active ones first, then the newest. */
function sessionsOnMembers({ members, sessions }: RoutingFacts): LiveSession[] {
  const keys = new Set(members.map(keyText));
  return sessions.filter((session) => keys.has(keyText(session))).sort(byLiveliness);
}

export type Key = Pick<MemberFacts, 'farm_id' | 'servicepool_uuid'>;
const keyOf = ({ farm_id, servicepool_uuid }: Key): Key => ({ farm_id, servicepool_uuid });
export const keyText = ({ farm_id, servicepool_uuid }: Key): string => `${farm_id}.${servicepool_uuid}`;

export const byKey = (a: Key, b: Key): number => compare(keyText(a), keyText(b));
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const byLiveliness = (a: LiveSession, b: LiveSession): number =>
  Number(b.state === 'active') - Number(a.state === 'active') ||
  compare(b.started_at ?? '', a.started_at ?? '') ||
  byKey(a, b) ||
  compare(a.session_uuid, b.session_uuid);

export type Candidate = { farm_id: string; servicepool_uuid: string; reason: string };
export type Explanation = {
  step: string;
  farm_id: string;
  servicepool_uuid: string;
  outcome: 'chosen' | 'candidate' | 'excluded';
  reason: string;
};
export type Route = { candidates: Candidate[]; explain: Explanation[]; conflict?: LiveSession[] };

export type Exclusion = Pick<Explanation, 'step' | 'reason'>;
/**
 * Chooses the members of a rule for its caller. A farm with an open session of the caller comes first, then the order
 * of the priority groups and the policy applies. A member with `entitled: null` is a candidate, and its dispatcher
 * decides.
 * @returns the candidates in the order of the attempts; one explanation for each member; `conflict` if the caller has
 *   several sessions
 */
export function route(facts: RoutingFacts, chance: Chance): Route {
  const members = [...facts.members].sort(byKey);
  const evaluated = members.map((member) => ({ member, exclusion: exclusionOf(facts, member) }));
  const fit = evaluated.flatMap(({ member, exclusion }) => (exclusion ? [] : [member]));
  const ordered = orderCandidates(facts, fit, chance);
  const usable = facts.rule.failover ? ordered : ordered.slice(0, 1);
  const conflict = sessionsOnMembers(facts);
  return {
    candidates: usable.map(({ member, reason }) => ({ ...keyOf(member), reason })),
    explain: [
      ...ordered.map((placed, at) => explainPlaced(facts, placed, at)),
      ...evaluated.flatMap(({ member, exclusion }) =>
        exclusion ? [{ ...exclusion, ...keyOf(member), outcome: 'excluded' as const }] : [],
      ),
    ],
    ...(conflict.length > 1 && { conflict }),
  };
}

type ReportedSession = Omit<LiveSession, 'started_at'>;

/** The response member that lists several open sessions. Absent for fewer than two. */
export function conflictOf({ conflict: sessions }: Pick<Route, 'conflict'>): {
  conflict?: ReportedSession[];
} {
  if (!sessions) return {};
  return { conflict: sessions.map(({ started_at: _, ...session }) => session) };
}

/** The first reason that excludes a member. */
const exclusionOf = (facts: RoutingFacts, member: MemberFacts): Exclusion | undefined =>
  ruleExclusionOf(facts, member) ?? obstacleOf(poolFactsOf(facts, member));

/** All reasons that exclude a member, in the order in which they are checked. */
export const exclusionsOf = (facts: RoutingFacts, member: MemberFacts): Exclusion[] => [
  ...[ruleExclusionOf(facts, member)].filter((one) => one !== undefined),
  ...obstaclesOf(poolFactsOf(facts, member)),
];

function ruleExclusionOf({ rule }: RoutingFacts, member: MemberFacts): Exclusion | undefined {
  if (!rule.enabled) return { step: 'rule', reason: 'rule_disabled' };
  if (!rule.usable) return { step: 'rule', reason: 'rule_not_for_user' };
  return member.enabled ? undefined : { step: 'member', reason: 'member_disabled' };
}

const poolFactsOf = ({ site, sessions }: RoutingFacts, member: MemberFacts): PoolFacts => ({
  ...member,
  site,
  hasSession: sessions.some((session) => keyText(session) === keyText(member)),
});

function explainPlaced({ rule }: RoutingFacts, { member, step, reason }: Placed, at: number): Explanation {
  if (at > 0 && !rule.failover)
    return { step: 'failover', ...keyOf(member), outcome: 'excluded', reason: 'failover_off' };
  return { step, ...keyOf(member), outcome: at === 0 ? 'chosen' : 'candidate', reason };
}

/**
 * Inputs that differ from call to call. `turn` increases with each call and advances `round_robin`. `random` returns
 * numbers in [0, 1).
 */
export type Chance = { turn: number; random: () => number };

/** Seconds during which the snapshot may not yet contain the session of an issued connection. */
const unseenS = 120;

/** Seconds since a connection was issued. */
export const ageOf = ({ at }: { at: string }, now: Date): number => (now.getTime() - Date.parse(at)) / 1000;

/** True if the snapshot may not yet contain the session of an issued connection. */
export const isLately = (issued: { at: string }, now: Date): boolean => ageOf(issued, now) <= unseenS;

/** A usable member, with the step and the reason of its place in the order. */
type Placed = { member: MemberFacts; step: string; reason: string };
type Ranked = Placed & { rank: readonly number[] };

/**
 * Orders the members by affinity, health and priority groups. The policy orders members of equal rank.
 * @param members in an order that does not depend on the order of the database rows
 */
function orderCandidates(facts: RoutingFacts, members: readonly MemberFacts[], chance: Chance): Placed[] {
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

/** An open session takes precedence over an issued connection. */
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
