import type { NodeState } from '../sites/calls/order.ts';
import { obstacleOf } from './readiness.ts';

export type Policy = 'priority' | 'round_robin' | 'least_loaded' | 'random';
export type Affinity = 'session' | 'last_used' | 'none';

export type MemberFacts = {
  farm_id: string;
  servicepool_uuid: string;
  priority: number;
  enabled: boolean;
  farm: { enabled: boolean; maintenance: boolean; nodes: readonly NodeState[] };
  /** Of the pool itself, or of the workplace of the user in it. */
  maintenance: boolean;
  /** The dispatcher does not report the state of either, or not in a word that we know. */
  unknown: boolean;
  /** Null when nobody has told it. */
  usage_percent: number | null;
  /** What the farm's own list says of the caller; null when there is no fresh one. */
  entitled: boolean | null;
};

export type LiveSession = {
  session_uuid: string;
  farm_id: string;
  servicepool_uuid: string;
  state: string;
  started_at: string | null;
};

/** All that counts for one rule and one caller; the order of the lists does not. */
export type RoutingFacts = {
  /** `usable`: the caller is one of those whom the rule is for. */
  rule: { enabled: boolean; usable: boolean; policy: Policy; failover: boolean; affinity: Affinity };
  site: { enabled: boolean; maintenance: boolean };
  members: readonly MemberFacts[];
  sessions: readonly LiveSession[];
  /** The last connection issued to the caller through the rule; its age in seconds. */
  issued: (Key & { age_s: number }) | null;
  /** The caller's priority groups, a row a farm. */
  preferences: readonly { priority: number; farm_id: string; farm_priority: number }[];
};

/** The caller's sessions on members of the rule: active ones first, then the newest. */
export function sessionsOnMembers({ members, sessions }: RoutingFacts): LiveSession[] {
  const keys = new Set(members.map(keyText));
  return sessions.filter((session) => keys.has(keyText(session))).sort(byLiveliness);
}

export type Key = Pick<MemberFacts, 'farm_id' | 'servicepool_uuid'>;
export const keyOf = ({ farm_id, servicepool_uuid }: Key): Key => ({ farm_id, servicepool_uuid });
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

type Exclusion = { step: string; reason: string };

/**
 * Where a rule leads its caller: first the farm where he works already, then as his priority groups and the policy say.
 * A member without `entitled` is a candidate: its dispatcher decides.
 * @returns candidates in the order of trying; one explanation a member; `conflict` when the caller has several sessions
 */
export function route(facts: RoutingFacts, chance: Chance): Route {
  const members = [...facts.members].sort(byKey);
  const judged = members.map((member) => ({ member, exclusion: exclusionOf(facts, member) }));
  const fit = judged.flatMap(({ member, exclusion }) => (exclusion ? [] : [member]));
  const ordered = orderCandidates(facts, fit, chance);
  const usable = facts.rule.failover ? ordered : ordered.slice(0, 1);
  const conflict = sessionsOnMembers(facts);
  return {
    candidates: usable.map(({ member, reason }) => ({ ...keyOf(member), reason })),
    explain: [
      ...ordered.map((placed, at) => explainPlaced(facts, placed, at)),
      ...judged.flatMap(({ member, exclusion }) =>
        exclusion ? [{ ...exclusion, ...keyOf(member), outcome: 'excluded' as const }] : [],
      ),
    ],
    ...(conflict.length > 1 && { conflict }),
  };
}

type ReportedSession = Omit<LiveSession, 'started_at'>;

/** The member of an answer that lists several live sessions; absent with one at most. */
export function conflictOf({ conflict: sessions }: Pick<Route, 'conflict'>): {
  conflict?: ReportedSession[];
} {
  if (!sessions) return {};
  return { conflict: sessions.map(({ started_at: _, ...session }) => session) };
}

/** The first thing that forbids a member. */
function exclusionOf({ rule, site, sessions }: RoutingFacts, member: MemberFacts): Exclusion | undefined {
  if (!rule.enabled) return { step: 'rule', reason: 'rule_disabled' };
  if (!rule.usable) return { step: 'rule', reason: 'rule_not_for_user' };
  if (!member.enabled) return { step: 'member', reason: 'member_disabled' };
  const hasSession = sessions.some((session) => keyText(session) === keyText(member));
  return obstacleOf({ ...member, site, hasSession });
}

function explainPlaced({ rule }: RoutingFacts, { member, step, reason }: Placed, at: number): Explanation {
  if (at > 0 && !rule.failover)
    return { step: 'failover', ...keyOf(member), outcome: 'excluded', reason: 'failover_off' };
  return { step, ...keyOf(member), outcome: at === 0 ? 'chosen' : 'candidate', reason };
}

/** What changes from call to call: `turn` grows and moves `round_robin` on; `random` gives numbers from 0 to below 1. */
export type Chance = { turn: number; random: () => number };

/** As long as this the snapshot may not show the session of a connection that was issued. */
const unseenS = 120;

/** A member that may be used, and what puts it where it is. */
type Placed = { member: MemberFacts; step: string; reason: string };
type Ranked = Placed & { rank: readonly number[] };

/**
 * Members in the order of trying: affinity, health, priority groups, and among equals the policy.
 * @param members in an order that does not depend on how they were read
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
