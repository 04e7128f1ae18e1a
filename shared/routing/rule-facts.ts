import type { RuleRow } from '../../db/repositories/routing/routing-rows.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { isKnownLinked } from '../sites/dispatcher-domains.ts';
import { ageOf, type Key, keyText, type LiveSession, type RoutingFacts } from './facts.ts';
import type { PoolFacts } from './readiness.ts';
import type { ListedSite } from './routed-site.ts';
import type { SeenList } from './service-list-cache.ts';

/** The caller's service lists by farm id. Farms without a list are absent. */
export type SeenLists = ReadonlyMap<string, SeenList>;

/** The facts of one rule, from the database and from the recent service lists of the farms. */
export function factsOf(site: ListedSite, rule: RuleRow, lists: SeenLists, now: Date): RoutingFacts {
  const factsAt = placeFacts(site, lists);
  const owned = new Set([...site.routing.owned, ...listedOwned(lists)].map(keyText));
  return {
    rule,
    site: siteFacts(site),
    members: rule.members.map((member) => ({
      ...member,
      ...factsAt(member),
      owned: owned.has(keyText(member)),
    })),
    sessions: liveSessions(site, lists),
    issued: rule.issued && {
      farm_id: rule.issued.farm_id,
      servicepool_uuid: rule.issued.servicepool_uuid ?? '',
      age_s: ageOf(rule.issued, now),
      outcome: rule.issued.outcome,
    },
    preferences: site.routing.preferences,
  };
}

/** Services in which the user has a machine, as far as lists report it. */
const listedOwned = (lists: SeenLists): Key[] =>
  [...lists].flatMap(([farm_id, { services }]) =>
    services.flatMap(({ uuid, owned }) => (owned ? [{ farm_id, servicepool_uuid: uuid.toLowerCase() }] : [])),
  );

/** The service of the pool in a list. Identifiers of dispatchers compare without regard to case. */
export const serviceIn = (list: SeenList | undefined, uuid: string) =>
  list?.services.find((service) => service.uuid.toLowerCase() === uuid);

/** `enabled` is always true: a disabled site is not found. */
const siteFacts = ({ maintenance }: ListedSite): PoolFacts['site'] => ({ enabled: true, maintenance });

/** The facts of the pools of a site, including pools without a rule. */
export function poolFacts(site: ListedSite, lists: SeenLists): (at: Key) => PoolFacts {
  const live = new Set(liveSessions(site, lists).map(keyText));
  const factsAt = placeFacts(site, lists);
  return (at) => ({ site: siteFacts(site), ...factsAt(at), hasSession: live.has(keyText(at)) });
}

type PlaceFacts = Pick<PoolFacts, 'farm' | 'maintenance' | 'unknown' | 'entitled' | 'refused'>;

function placeFacts(site: ListedSite, lists: SeenLists): (at: Key) => PlaceFacts {
  const { blocked } = site.routing;
  const maintained = new Set(blocked.filter(({ maintenance }) => maintenance).map(keyText));
  const unknown = new Set(blocked.filter((one) => one.unknown).map(keyText));
  return (at) => {
    const list = lists.get(at.farm_id);
    const farm = site.farms.find(({ id }) => id === at.farm_id);
    const isForeign = farm && isKnownLinked(farm, site.viewer.domain.label) === false;
    const service = list?.fresh ? serviceIn(list, at.servicepool_uuid) : undefined;
    return {
      // A farm that was moved to another site does not belong to the rule any more.
      farm: farm ?? { enabled: false, maintenance: false, nodes: [] },
      // A fresh service list of the user may contain a maintenance that the snapshot does not contain yet.
      maintenance: maintained.has(keyText(at)) || (service !== undefined && isInMaintenance(service)),
      unknown: unknown.has(keyText(at)) || (service !== undefined && isUnknown(service)),
      refused: isForeign === true || (list !== undefined && list.refusal !== null),
      entitled: isForeign ? false : list?.fresh ? service !== undefined : null,
    };
  };
}

const isInMaintenance = ({ maintenance, state }: CachedService): boolean =>
  maintenance === true || state === 'maintenance';

const isUnknown = ({ maintenance, state }: CachedService): boolean =>
  maintenance === null || state === 'unknown';

/** A fresh service list of a farm replaces the sessions of the snapshot. An older list only adds sessions. */
function liveSessions(site: ListedSite, lists: SeenLists): LiveSession[] {
  const stored = site.routing.sessions.filter(({ farm_id }) => !lists.get(farm_id)?.fresh);
  const known = new Set(site.routing.sessions.map(idOf));
  const startedAt = new Map(site.routing.sessions.map((one) => [idOf(one), one.started_at]));
  const listed = [...lists].flatMap(([farm_id, { services, fresh }]) =>
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
  return [...stored, ...listed];
}

const idOf = ({ farm_id, session_uuid }: Pick<LiveSession, 'farm_id' | 'session_uuid'>): string =>
  keyText({ farm_id, servicepool_uuid: session_uuid });
