import type { z } from 'zod';
import {
  type ExplainedFarm,
  type ExplainedSite,
  explainedSite,
} from '../../../db/repositories/routing/explained-objects.ts';
import type { RuleRow } from '../../../db/repositories/routing/routing-rows.ts';
import { findPerson } from '../../../db/repositories/sites/user-sites.ts';
import { accountOf } from '../../../shared/context/principal.ts';
import { findRecord } from '../../../shared/http/records/writes.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { isHealthy } from '../../../shared/routing/candidate-order.ts';
import { keyText, type MemberFacts, type RoutingFacts } from '../../../shared/routing/facts.ts';
import { findSiteOfUser, type RoutedSite } from '../../../shared/routing/routed-site.ts';
import {
  conflictOf,
  type Explanation,
  exclusionsOf,
  type Route,
  route,
} from '../../../shared/routing/routing.ts';
import { factsOf, type SeenLists } from '../../../shared/routing/rule-facts.ts';
import type { SeenList } from '../../../shared/routing/service-list-cache.ts';
import { farmStates, viewsOf } from '../../../shared/services/farm-views.ts';
import { currentCallCount } from '../../../shared/sites/calls/order.ts';
import { isKnownLinked } from '../../../shared/sites/dispatcher-domains.ts';
import type { WebuiCtx } from '../deps.ts';
import type { RuleExplanation } from './explanation-schema.ts';
import { ruleCrud } from './record.ts';

type Answer = z.input<typeof RuleExplanation>;
type MemberAnswer = Answer['members'][number];

/**
 * Explains the decision of a rule for a user from stored data: no dispatcher is called in the name of the user.
 * @throws AppError `not_found` for a rule outside the scope, and for a user that does not exist
 */
export async function explainRule(
  ctx: WebuiCtx,
  id: string,
  userId = accountOf(ctx.principal)?.userId,
): Promise<Answer> {
  // Peers have no user account.
  if (userId === undefined) throw notFound();
  const { db } = ctx.deps;
  const [row, viewer] = await Promise.all([findRecord(ctx, ruleCrud.kind, id), findPerson(db, userId)]);
  if (!viewer) throw notFound();
  const { site_id, name, match_tags } = row;
  const site = await explainedSite(db, site_id, { userId, domainId: viewer.domain.id });
  if (!site) throw notFound();
  const routed =
    site.enabled && site.for_user
      ? await findSiteOfUser(ctx, site.uri, { rules: { rule: id }, unusable: true }, viewer)
      : undefined;
  const rule = routed?.routing.rules[0];
  const { policy, failover, failover_from_owned, affinity, enabled } = row;
  return {
    generated_at: ctx.now.toISOString(),
    rule: {
      ...{ id, name, enabled, policy, failover, failover_from_owned, affinity },
      for_user: rule?.usable ?? false,
      by_tags: match_tags !== null,
    },
    site: siteAnswer(site, routed),
    user: { id: viewer.id, name: viewer.name, domain_id: viewer.domain.id, domain: viewer.domain.label },
    ...(routed && rule ? decisionOf(ctx, site, routed, rule) : { members: [] }),
  };
}

const siteAnswer = (
  { id, name, enabled, for_user, maintenance_until }: ExplainedSite,
  routed: RoutedSite | undefined,
): Answer['site'] => {
  const maintenance = routed?.maintenance ?? false;
  return {
    id,
    name,
    enabled,
    for_user,
    maintenance,
    maintenance_until: maintenance ? maintenance_until : null,
  };
};

/** What a request of the user would decide now. */
function decisionOf(
  ctx: WebuiCtx,
  explained: ExplainedSite,
  site: RoutedSite,
  rule: RuleRow,
): Pick<Answer, 'members' | 'conflict'> {
  const views = viewsOf(site, farmStates(ctx, site, new Map()));
  const lists: SeenLists = new Map(
    views.flatMap(({ farm, list }): [string, SeenList][] => (list ? [[farm.id, list]] : [])),
  );
  const facts = factsOf(site, rule, lists, ctx.now);
  const routed: Route = route(facts, { turn: currentCallCount(ctx.deps, rule), random: Math.random });
  const memberAt = new Map(facts.members.map((member) => [keyText(member), member]));
  const nameOf = new Map(rule.members.map((member) => [keyText(member), member.name]));
  return {
    members: routed.explain.flatMap((explanation) => {
      const member = memberAt.get(keyText(explanation));
      if (!member) return [];
      const servicepool_name = nameOf.get(keyText(explanation)) ?? null;
      return [{ ...memberAnswer({ facts, member, explanation, explained, site, lists }), servicepool_name }];
    }),
    ...conflictOf(routed),
  };
}

type Member = {
  facts: RoutingFacts;
  member: MemberFacts;
  explanation: Explanation;
  explained: ExplainedSite;
  site: RoutedSite;
  lists: SeenLists;
};

function memberAnswer({
  facts,
  member,
  explanation,
  explained,
  site,
  lists,
}: Member): Omit<MemberAnswer, 'servicepool_name'> {
  const { farm_id, priority, enabled, usage_percent, entitled } = member;
  const farm = explained.farms.find(({ id }) => id === farm_id);
  const { step, reason, servicepool_uuid, outcome } = explanation;
  const obstacles = exclusionsOf(facts, member);
  return {
    ...{ farm_id, servicepool_uuid, outcome, step, reason, priority, enabled, usage_percent, entitled },
    ...farmAnswer(farm, member.farm.maintenance),
    obstacles: step === 'failover' ? [{ step, reason }] : obstacles,
    ...accountAnswer(site, farm_id, lists.get(farm_id)),
    healthy: isHealthy(member.farm.nodes),
    priority_group: preferenceAnswer(explained, farm_id),
  };
}

const farmAnswer = (farm: ExplainedFarm | undefined, isMaintained: boolean) => ({
  farm_name: farm?.name ?? null,
  maintenance_until: isMaintained ? (farm?.maintenance_until ?? null) : null,
  nodes: farm?.nodes ?? [],
});

function preferenceAnswer({ preferences }: ExplainedSite, farmId: string): MemberAnswer['priority_group'] {
  const found = preferences.find(({ farm_id }) => farm_id === farmId);
  if (!found) return null;
  const { farm_id: _, ...preference } = found;
  return preference;
}

/** What the dispatchers of a farm know about the user. Their last refusal counts regardless of its age. */
function accountAnswer({ farms, routing, viewer }: RoutedSite, farmId: string, list: SeenList | undefined) {
  const farm = farms.find(({ id }) => id === farmId);
  const domain_linked = farm ? isKnownLinked(farm, viewer.domain.label) : null;
  const refused = routing.lists.find(({ farm_id, refusal }) => farm_id === farmId && refusal !== null);
  const listedAt = list?.fetchedAt ?? (refused && new Date(refused.fetched_at));
  return {
    domain_linked,
    refusal: list ? list.refusal : (refused?.refusal ?? null),
    listed_at: listedAt?.toISOString() ?? null,
  };
}
