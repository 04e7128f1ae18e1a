import { maintenanceWindows } from '../../../db/schema/maintenance/windows.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { workplaceSessions } from '../../../db/schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { resources, resourceTypes } from '../../../shared/resources.ts';
import { pathOf, type Registered } from '../../contract/generated/described.ts';
import {
  type Ask,
  addDispatcher,
  addFarm,
  addGateway,
  addMember,
  addMonitoringRecord,
  addPriorityGroup,
  addRole,
  addRule,
  addSite,
  addTemplate,
  addUser,
  base,
  memberOf,
  startWorld,
  type World,
} from '../factories.ts';
import type { Json } from '../portal.ts';
import { addPart } from './snapshot-rows.ts';

/** A marker in each name and address of an object of the one site, and of the other. */
type Mark = 'alpha' | 'omega';
type Sited =
  | 'monitoring_record'
  | 'servicespool'
  | 'workplace'
  | 'spsession'
  | 'maintenance_window'
  | 'tag_of_farm';
/** Identifiers of objects by type: those that a caller may see of one site, and those of the other. */
export type Place = Record<
  'site' | 'farm' | 'dispatcher' | 'gateway' | 'priority_group' | 'rule' | Sited,
  string
>;

/** Two sites with objects of each kind, objects of both sites, and a caller with all permissions for the one. */
export type TwoSites = {
  world: World;
  own: Place;
  other: Place;
  /** A template and a user that objects of both sites refer to. */
  template: Json;
  user: Json;
  shared: { gateway: Json; group: Json; role: Json };
  /** The caller, with the password of all test users. */
  member: Json;
  scoped: Ask;
};

/** @param given default: a new one */
export async function startTwoSites(given?: World): Promise<TwoSites> {
  const world = given ?? (await startWorld());
  const { admin } = world;
  const template = await addTemplate(admin, { name: 'of-both' });
  const user = await addUser(admin, world.domain, { name: 'of-both' });
  const own = await addPlace(world, { template, user }, 'alpha');
  const other = await addPlace(world, { template, user }, 'omega');
  const shared = {
    gateway: await addGateway(admin, { name: 'of-both', sites: [own.site, other.site] }),
    group: await addPriorityGroup(admin, {
      name: 'of-both',
      farms: [own.farm, other.farm].map((farm_id) => ({ farm_id, priority: 1 })),
    }),
    role: await addRole(admin, ['sites.read'], { name: 'of-both', scope: { sites: [own.site, other.site] } }),
  };
  await addRole(admin, ['sites.read'], { name: 'of-the-other', scope: { sites: [other.site] } });
  for (const [mark, place] of [
    ['alpha', own],
    ['omega', other],
  ] as const)
    for (const type of resourceTypes) {
      const record = await addMonitoringRecord(admin, {
        ...{ level: 'error', object_type: type, message: `${mark} ${type}`, object_name: `${mark}-${type}` },
        object_id: type in place ? Reflect.get(place, type) : newId(),
        details: resources[type].siteScope === 'by_site' ? { farm_id: place.farm } : {},
      });
      if (type === 'maintenance_window') place.monitoring_record = record.id;
    }
  const { user: member, ask: scoped } = await addMember(world, permissions, [own.site]);
  return { world, own, other, template, user, shared, member, scoped };
}

/** Journal records without a site are readable for every reader, with any scope. */
export const exempt = resourceTypes
  .filter((type) => resources[type].siteScope === 'any_scope')
  .flatMap((type) => [`omega ${type}`, `omega-${type}`]);

/** Parts of a text that are a name, an address or an identifier of the other site. */
export function leaks(other: Place, text: string, alsoExempt: readonly string[] = []): string[] {
  const names = [...text.matchAll(/[\w. -]*omega[\w. -]*/gi)].map(([found]) => found);
  const ids = Object.values(other).filter((id) => id.length === 36 && text.includes(id));
  return [...names, ...ids].filter((found) => !exempt.includes(found) && !alsoExempt.includes(found));
}

/** The same call for objects of one site: a parameter of any name gets an identifier of the right type. */
export function pathAt(operation: Registered, place: Place): string {
  const { path } = operation;
  const type = resourceTypes.find((one) => operation.id.startsWith(`${one}.`));
  const ofNode = type === 'servicespool' || type === 'workplace' || type === 'spsession';
  const id = (type && Reflect.get(place, type)) ?? place.site;
  return pathOf(operation, {
    ...{ id: ofNode ? place.farm : id, uuid: id, site_id: place.site, rule_id: place.rule },
    ...{ farm_uuid: place.farm, farm_id: place.farm, site_uri: siteUri(place) },
    ...{ servicepool_uuid: place.servicespool, servicespool_uuid: place.servicespool },
    ...{
      service_pool_uuid: place.servicespool,
      workplace_uuid: place.workplace,
      session_uuid: place.spsession,
    },
    ...(path.includes('/client/') && { id: place.rule }),
  });
}

const siteUri = ({ tag_of_farm }: Place): string => `${tag_of_farm}-site`;

type Shared = Pick<TwoSites, 'template' | 'user'>;

async function addPlace(world: World, { template, user }: Shared, mark: Mark): Promise<Place> {
  const { admin } = world;
  const { db } = world.portal;
  const site = await addSite(admin, { name: `${mark}-site`, uri: `${mark}-site`, comments: mark });
  const farm = await addFarm(admin, site, { name: `${mark}-farm`, comments: mark });
  const dispatcher = await addDispatcher(admin, farm, {
    name: `${mark}-node`,
    url: `https://${mark}.example.com`,
  });
  const gateway = await addGateway(admin, {
    name: `${mark}-gateway`,
    host: `${mark}-gw.example.com`,
    sites: [site.id],
  });
  const group = await addPriorityGroup(admin, {
    name: `${mark}-preference`,
    farms: [{ farm_id: farm.id, priority: 1 }],
    users: [user.id],
  });
  const rule = await addRule(admin, site, {
    name: `${mark}-rule`,
    display_name: `${mark} office`,
    members: [memberOf(farm)],
    users: [user.id],
  });
  const ids = { servicespool: newId(), workplace: newId(), spsession: newId() };
  const common = { farm_id: farm.id as string, servicepool_uuid: ids.servicespool };
  await db.insert(pools).values({
    ...{ farm_id: farm.id, uuid: ids.servicespool, name: `${mark}-pool`, name_key: `${mark}-pool` },
    ...{
      short_name: mark,
      comments: mark,
      state: 'ready',
      visible: true,
      maintenance: false,
      protocols: ['rdp'],
    },
    ...{ initial_srvs: 0, cache_l1_srvs: 0, cache_l2_srvs: 0, max_srvs: 10, workplaces_count: 10 },
    ...{ in_use_count: 0, in_preparation_count: 0, usage_percent: 95, restrained: false, tags: [mark] },
    maintenance_template_id: template.id,
  });
  await db.insert(workplaces).values({
    ...{ ...common, uuid: ids.workplace, servicepool_name: `${mark}-pool`, name: `${mark}-machine` },
    ...{ name_key: `${mark}-machine`, unique_id: mark, hostname: `${mark}.local`, ip: '10.0.0.1' },
    ...{
      state: 'ready',
      machine_state: 'running',
      in_use: true,
      maintenance: false,
      tags: [mark],
      node_revision: 1,
    },
  });
  await db.insert(workplaceSessions).values({
    ...{ ...common, uuid: ids.spsession, servicepool_name: `${mark}-pool`, workplace_uuid: ids.workplace },
    ...{ workplace_name: `${mark}-machine`, workplace_ip: '10.0.0.1', user_name: `${mark}-person` },
    ...{ user_domain: 'x', user_key: `x\\${mark}-person`, protocol: 'rdp', state: 'active' },
    ...{ started_at: new Date(), last_seen_at: new Date() },
  });
  for (const kind of ['servicespools', 'workplaces', 'spsessions', 'tags'] as const)
    await addPart(db, farm, kind, { error: 'upstream_failed' });
  const [window] = await db
    .insert(maintenanceWindows)
    .values({
      ...{ object_type: 'servicespool', about: `servicespool:${mark}`, object_name: `${mark}-pool` },
      ...{ farm_id: farm.id, pool_uuid: ids.servicespool, template_id: template.id },
    })
    .returning({ id: maintenanceWindows.id });
  await admin(`PATCH ${base}/sites/${site.id}`, { users: [user.id] });
  return {
    ...{ site: site.id, farm: farm.id, dispatcher: dispatcher.id, gateway: gateway.id },
    ...{
      priority_group: group.id,
      rule: rule.id,
      maintenance_window: window?.id ?? '',
      tag_of_farm: mark,
      monitoring_record: '',
    },
    ...ids,
  };
}
