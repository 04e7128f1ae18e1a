import type { RuleMemberRow, RuleRow } from '../../db/repositories/routing-facts.ts';
import type { SeenList } from './kept-lists.ts';
import { isLinked, lastDomains } from './linking.ts';
import type { RoutedSite } from './routed-site.ts';
import { keyText, type LiveSession, type MemberFacts, type RoutingFacts } from './routing-facts.ts';

/** What is known of the caller's services, by farm; absent for a farm of which nothing is. */
export type SeenLists = ReadonlyMap<string, SeenList>;

/** The facts of one rule: what the database knows, and what the farms themselves told lately. */
export const factsOf = (site: RoutedSite, rule: RuleRow, lists: SeenLists, now: Date): RoutingFacts => ({
  rule,
  site: { enabled: true, maintenance: site.maintenance },
  members: rule.members.map((member) => memberFacts(site, member, lists.get(member.farm_id))),
  sessions: liveSessions(site, lists),
  issued: rule.issued && {
    farm_id: rule.issued.farm_id,
    age_s: (now.getTime() - Date.parse(rule.issued.at)) / 1000,
  },
  preferences: site.routing.preferences,
});

/** The pool in a list; identifiers of dispatchers compare without regard to case. */
export const serviceIn = (list: SeenList | undefined, uuid: string) =>
  list?.services.find((service) => service.uuid.toLowerCase() === uuid);

function memberFacts(site: RoutedSite, member: RuleMemberRow, list: SeenList | undefined): MemberFacts {
  const farm = site.farms.find(({ id }) => id === member.farm_id);
  const domains = farm && lastDomains(farm);
  const isForeign = domains !== undefined && !isLinked(domains, site.viewer.domain.label);
  const service = serviceIn(list, member.servicepool_uuid);
  return {
    farm_id: member.farm_id,
    servicepool_uuid: member.servicepool_uuid,
    priority: member.priority,
    enabled: member.enabled,
    // A farm that was moved to another site is none of this rule any more.
    farm: farm ?? { enabled: false, maintenance: false, nodes: [] },
    maintenance: service?.maintenance ?? member.maintenance ?? false,
    usage_percent: member.usage_percent,
    entitled: isForeign ? false : list?.fresh ? service !== undefined : null,
  };
}

/** A farm's own fresh list knows better than the snapshot which sessions are live; an older one adds to it. */
function liveSessions(site: RoutedSite, lists: SeenLists): LiveSession[] {
  const stored = site.routing.sessions.filter(({ farm_id }) => !lists.get(farm_id)?.fresh);
  const known = new Set(site.routing.sessions.map(idOf));
  const startedAt = new Map(site.routing.sessions.map((one) => [idOf(one), one.started_at]));
  const told = [...lists].flatMap(([farm_id, { services, fresh }]) =>
    services.flatMap(({ uuid, sessions }) =>
      sessions
        .map(({ session_uuid, state }) => ({
          session_uuid: session_uuid.toLowerCase(),
          farm_id,
          servicepool_uuid: uuid.toLowerCase(),
          state,
        }))
        .filter((session) => fresh || !known.has(idOf(session)))
        .map((session) => ({ ...session, started_at: startedAt.get(idOf(session)) ?? null })),
    ),
  );
  return [...stored, ...told];
}

const idOf = ({ farm_id, session_uuid }: Pick<LiveSession, 'farm_id' | 'session_uuid'>): string =>
  keyText({ farm_id, servicepool_uuid: session_uuid });
