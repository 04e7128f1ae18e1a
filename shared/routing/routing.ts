import { type Chance, orderCandidates, type Placed } from './candidate-order.ts';
import { type ExclusionReason, isRemovedBy } from './causes.ts';
import {
  byKey,
  hasSessionAt,
  type Key,
  keyOf,
  type LiveSession,
  type MemberFacts,
  type RoutingFacts,
  sessionsOnMembers,
} from './facts.ts';
import { obstaclesOf, type PoolFacts } from './readiness.ts';

export type Candidate = Key & { reason: string };
export type Explanation = {
  step: string;
  farm_id: string;
  servicepool_uuid: string;
  outcome: 'chosen' | 'candidate' | 'excluded';
  reason: string;
};
export type Route = { candidates: Candidate[]; explain: Explanation[]; conflict?: LiveSession[] };

export type Exclusion = { step: string; reason: ExclusionReason };
type Evaluated = { member: MemberFacts; exclusion: Exclusion | undefined };

/**
 * Chooses the members of a rule for its caller. A farm with an open session of the caller comes first, then one with a
 * machine of the caller, then the order of the priority groups and the policy applies. A member with `entitled: null`
 * is a candidate, and its dispatcher decides.
 * @returns the candidates in the order of the attempts; one explanation for each member; `conflict` if the caller has
 *   several sessions
 */
export function route(facts: RoutingFacts, chance: Chance): Route {
  const members = [...facts.members].sort(byKey);
  const evaluated = members.map((member) => ({ member, exclusion: exclusionOf(facts, member) }));
  const { ordered, barred } = choose(facts, evaluated, chance);
  const conflict = sessionsOnMembers(facts);
  return {
    candidates: ordered.map(({ member, reason }) => ({ ...keyOf(member), reason })),
    explain: [
      ...ordered.map(explainPlaced),
      ...[...barred].map(([member, reason]) => explainExcluded(member, reason)),
      ...evaluated.flatMap(({ member, exclusion }) =>
        exclusion && !barred.has(member) ? [explainExcluded(member, exclusion)] : [],
      ),
    ],
    ...(conflict.length > 1 && { conflict }),
  };
}

const failoverOff = { step: 'failover', reason: 'failover_off' };
const ownedElsewhere = { step: 'failover', reason: 'owned_elsewhere' };

/** The usable members in their order, and others that are not tried because of the rule, in their order. */
type Choice = {
  ordered: Placed[];
  barred: Map<MemberFacts, Pick<Explanation, 'step' | 'reason'>>;
};

/**
 * An obstacle that another member may not have is passed over, unless failover is off, or the member has a machine of
 * the caller and the rule does not allow to leave it.
 */
function choose(facts: RoutingFacts, evaluated: readonly Evaluated[], chance: Chance): Choice {
  const barred: Choice['barred'] = new Map();
  const remaining = evaluated.filter(({ exclusion }) => !exclusion || !isRemovedBy(exclusion.reason));
  const isHeld = !facts.rule.failover_from_owned && remaining.some(({ member }) => member.owned);
  const eligible = remaining.filter(({ member }) => {
    const isEligible = !isHeld || member.owned || hasSessionAt(facts, member);
    if (!isEligible) barred.set(member, ownedElsewhere);
    return isEligible;
  });
  if (facts.rule.failover) {
    const usable = eligible.filter(({ exclusion }) => !exclusion).map(({ member }) => member);
    return { ordered: orderCandidates(facts, usable, chance), barred };
  }
  const all = eligible.map(({ member }) => member);
  const [first, ...others] = orderCandidates(facts, all, chance);
  for (const { member } of others) barred.set(member, failoverOff);
  const isUsable = eligible.some(({ member, exclusion }) => member === first?.member && !exclusion);
  return { ordered: first && isUsable ? [first] : [], barred };
}

type ReportedSession = Omit<LiveSession, 'started_at'>;

/** The response member that lists several open sessions. Absent for fewer than two. */
export function conflictOf({ conflict: sessions }: Pick<Route, 'conflict'>): {
  conflict?: ReportedSession[];
} {
  if (!sessions) return {};
  return { conflict: sessions.map(({ started_at: _, ...session }) => session) };
}

/**
 * The first reason that excludes a member. One that removes it outweighs those that may end: a maintenance at a member that is
 * not for the user does not concern the user.
 */
function exclusionOf(facts: RoutingFacts, member: MemberFacts): Exclusion | undefined {
  const all = exclusionsOf(facts, member);
  return all.find(({ reason }) => isRemovedBy(reason)) ?? all[0];
}

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

const poolFactsOf = (facts: RoutingFacts, member: MemberFacts): PoolFacts => ({
  ...member,
  site: facts.site,
  hasSession: hasSessionAt(facts, member),
});

const explainExcluded = (
  member: MemberFacts,
  { step, reason }: Pick<Explanation, 'step' | 'reason'>,
): Explanation => ({ step, ...keyOf(member), outcome: 'excluded', reason });

const explainPlaced = ({ member, step, reason }: Placed, at: number): Explanation => ({
  step,
  ...keyOf(member),
  outcome: at === 0 ? 'chosen' : 'candidate',
  reason,
});
