import type { RuleRow } from '../../db/repositories/routing/routing-rows.ts';
import { issuedTags } from '../kernel/http/entity-tags.ts';
import { version } from '../kernel/version.ts';
import { ageOf, isUnseen } from '../routing/facts.ts';
import type { ListedSite } from '../routing/routed-site.ts';
import { lastDomains } from '../sites/dispatcher-domains.ts';
import type { FarmStatus } from '../sites/farm-status.ts';
import type { FarmOutcomes, FarmState } from './farm-views.ts';
import { digest } from './revisions.ts';

/** The facts that a list of services depends on, except the parameters of the request. */
type ListFacts = {
  site: ListedSite;
  states: readonly FarmState<unknown>[];
  outcomes: FarmOutcomes;
  /** The call count of a rule, which advances `round_robin`. */
  turnOf: (rule: RuleRow) => number;
  /** The list contains the reasons of refusals. */
  isExplained: boolean;
  now: Date;
};

/**
 * The ETag of a list of services: `W/"<digest of the cached lists>.<digest of all facts>"`. It does not depend on the
 * services themselves, only on their revisions. The tag is weak, because answers with one tag differ in `age_ms` and
 * `took_ms`, and in `fetched_at` of farms with the status `ok`.
 * @returns undefined if equal facts can give different lists
 */
export function etagOfList({
  site,
  states,
  outcomes,
  turnOf,
  isExplained,
  now,
}: ListFacts): string | undefined {
  const { rules, covered, preferences, sessions, owned, blocked, user_preferences } = site.routing;
  if (rules.some(isDrawn)) return undefined;
  const { id, uri, name, maintenance, maintenance_message, announced, domains, viewer } = site;
  const facts = [
    ...[version, isExplained],
    ...[viewer.id, viewer.domain.label, id, uri, name, maintenance, maintenance_message, announced, domains],
    ...[covered, preferences, sessions, owned, blocked, user_preferences],
    rules.map((rule) => ruleFacts(rule, turnOf(rule), now)),
    states.map(farmFacts),
  ];
  return `W/"${listsDigest(site, outcomes)}.${digest(JSON.stringify(facts))}"`;
}

/**
 * The digest of the cached lists in the tags of a request; empty for other tags.
 * @param ifNoneMatch the header
 */
export const heldLists = (ifNoneMatch: string): string =>
  issuedTags(ifNoneMatch)
    .map((tag) => /^"([\w-]{22})\.[\w-]+"$/.exec(tag)?.[1])
    .find((held) => held !== undefined) ?? '';

/** The digest that the database calculates for the cached lists of the site after this request. */
function listsDigest({ routing }: ListedSite, outcomes: FarmOutcomes): string {
  const revisions = new Map(routing.lists.map(({ farm_id, revision }) => [farm_id, revision]));
  for (const [farmId, outcome] of outcomes) if (outcome.ok) revisions.set(farmId, outcome.value.revision);
  const keys = [...revisions].map(([farmId, revision]) => `${farmId}.${revision}`);
  return digest(keys.sort().join(','));
}

/** Without failover only the first member is offered, and the policy draws it. */
const isDrawn = ({ policy, failover, members }: RuleRow): boolean =>
  policy === 'random' && !failover && members.length > 1;

/** With failover, all usable members are offered in any order, so that usage and the last connection have no effect. */
function ruleFacts(rule: RuleRow, turn: number, now: Date): unknown {
  if (!rule.failover) return [rule, turn, rule.issued && isUnseen(ageOf(rule.issued, now))];
  const { id, display_name, image_id, enabled, usable, failover, failover_from_owned, members } = rule;
  const places = members.map((member) => [member.farm_id, member.servicepool_uuid, member.enabled]);
  return [id, display_name, image_id, enabled, usable, failover, failover_from_owned, places];
}

function farmFacts({ farm, domains, status, source }: FarmState<unknown>): unknown {
  const { enabled, maintenance, maintenance_message, nodes } = farm;
  return [
    ...[enabled, maintenance, maintenance_message, domains, lastDomains(farm)],
    nodes.map((node) => [node.circuit, node.status]),
    statusFacts(status),
    source && [source.kind, source.list.revision, source.list.fresh],
  ];
}

/** The time of the last read counts only if the data is not current. */
function statusFacts({ age_ms: _, took_ms: __, fetched_at, ...status }: FarmStatus): unknown {
  return status.status === 'ok' ? status : { ...status, fetched_at };
}
