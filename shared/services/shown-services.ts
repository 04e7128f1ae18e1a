import type { z } from 'zod';
import type { RuleRow } from '../../db/repositories/routing/routing-rows.ts';
import type { CachedService } from '../../db/schema/snapshot/service-lists.ts';
import { keyText } from '../routing/facts.ts';
import { shownState } from '../routing/readiness.ts';
import type { ListedSite } from '../routing/routed-site.ts';
import { conflictOf, type Route } from '../routing/routing.ts';
import { serviceIn } from '../routing/rule-facts.ts';
import type { FarmView } from './farm-views.ts';
import type { ClientService } from './service-shape.ts';

type Shown = z.input<typeof ClientService>;
/** A service without the preferences of the user. */
type Offered = Omit<Shown, 'favourite' | 'last_used_at' | 'launch'>;
type RoutedRule = { rule: RuleRow; routed: Route };
type Member = { farm_id: string; servicepool_uuid: string; service: CachedService };

/** The services that the viewer sees: the rules of the viewer, and the pools without an enabled rule of the site. */
export const shownServices = (
  site: ListedSite,
  views: readonly FarmView[],
  rules: readonly RoutedRule[],
): Shown[] => {
  const own = rules.filter(({ rule }) => rule.enabled && rule.usable);
  const covered = new Set(site.routing.covered);
  const offered = [
    ...own.flatMap((one) => ruleService(site, views, one)),
    ...poolServices(site, views, covered),
  ];
  return withPreferences(site, offered);
};

function withPreferences({ routing }: ListedSite, services: readonly Offered[]): Shown[] {
  const known = new Map(routing.user_preferences.map((one) => [one.service_id, one]));
  return services.map((service) => {
    const { favourite, last_used_at, launch } = known.get(service.id.toLowerCase()) ?? withoutPreference;
    const lastUse = last_used_at === null ? null : new Date(last_used_at).toISOString();
    return { ...service, favourite, last_used_at: lastUse, launch };
  });
}

const withoutPreference = { favourite: false, last_used_at: null, launch: null };

const poolServices = (
  site: ListedSite,
  views: readonly FarmView[],
  covered: ReadonlySet<string>,
): Offered[] =>
  views.flatMap(({ farm, list }) =>
    (list?.services ?? [])
      .filter(({ uuid }) => !covered.has(`${farm.id}.${uuid.toLowerCase()}`))
      .map((service) => poolService(site, farm.id, service)),
  );

function poolService(site: ListedSite, farmId: string, service: CachedService): Offered {
  const id = `${farmId}.${service.uuid}`;
  return {
    id,
    kind: 'pool',
    name: service.name,
    description: service.description,
    image_url: null,
    protocols: service.protocols,
    in_use: service.in_use,
    maintenance: service.maintenance ?? false,
    ...(service.maintenance_message && { maintenance_message: service.maintenance_message }),
    state: shownState(service.state),
    farm_id: farmId,
    sessions: sessionsOf({ farm_id: farmId, servicepool_uuid: service.uuid, service }),
    link: linkOf(site, id),
  };
}

/** A member counts if the service list of its farm contains the pool. A rule without such a member is not shown. */
function ruleService(site: ListedSite, views: readonly FarmView[], { rule, routed }: RoutedRule): Offered[] {
  const lists = new Map(views.map(({ farm, list }) => [farm.id, list]));
  const members = rule.members
    .filter(({ enabled }) => enabled)
    .flatMap((member): Member[] => {
      const service = serviceIn(lists.get(member.farm_id), member.servicepool_uuid);
      return service ? [{ ...member, service }] : [];
    })
    .sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
  const services = members.map(({ service }) => service);
  if (services.length === 0) return [];
  const candidates = new Set(routed.candidates.map(keyText));
  const maintenance = services.every((one) => one.maintenance === true);
  const message = maintenance && services.find((one) => one.maintenance_message)?.maintenance_message;
  return [
    {
      id: rule.id,
      kind: 'rule',
      name: rule.display_name,
      description: services.find(({ description }) => description !== '')?.description ?? '',
      image_url: rule.image_id && `/api/userinfo/images/${rule.image_id}`,
      protocols: [...new Set(services.flatMap(({ protocols }) => protocols))],
      in_use: services.some(({ in_use }) => in_use),
      maintenance,
      ...(message && { maintenance_message: message }),
      state: bestState(
        members.filter((member) => candidates.has(keyText(member))),
        maintenance,
      ),
      members: services.length,
      sessions: members.flatMap(sessionsOf),
      ...conflictOf(routed),
      link: linkOf(site, rule.id),
    },
  ];
}

/** The best state of the members that are candidates of the rule. */
function bestState(usable: readonly Member[], maintenance: boolean): Shown['state'] {
  const states = usable.map(({ service }) => shownState(service.state));
  const best = (['ready', 'busy'] as const).find((state) => states.includes(state));
  return best ?? (maintenance ? 'maintenance' : 'unavailable');
}

const sessionsOf = ({ farm_id, service }: Member): Shown['sessions'] =>
  service.sessions.map(({ session_uuid, state }) => ({ session_uuid, state, farm_id }));

const linkOf = ({ uri }: ListedSite, id: string): string =>
  `/aggregator/api/client/v7.0/${uri}/connectionInfo/${id}`;
