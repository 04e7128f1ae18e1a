import {
  byKey,
  keyOf,
  keyText,
  type LiveSession,
  type MemberFacts,
  type RoutingFacts,
  sessionsOnMembers,
} from './facts.ts';
import { type Chance, orderCandidates, type Placed } from './order.ts';
import { obstacleOf } from './readiness.ts';

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
