import { asc } from 'drizzle-orm';
import { afterAll, beforeAll } from 'vitest';
import { auditEvents } from '../../db/schema/audit/events.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { createDispatcherState, type PoolSeed } from '../simulator/data/seed.ts';
import type { DispatcherState } from '../simulator/data/state.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/start.ts';
import { dataUri, png } from './pictures.ts';
import { type Answer, adminPassword, baseUrl, type Json, startPortal, type TestPortal } from './portal.ts';

export const base = '/api/webui/aggregator';
/** Accepted by every password policy. */
export const goodPassword = 'seven purple lanterns drift';

/** A client: `ask('PATCH /path', body, headers)` sends one request. */
export type Ask = (route: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
type Overrides = Record<string, unknown>;

/** A unique name; its end differs as well, so that it can be searched for. */
export const unique = (kind: string): string => `${kind}-${newId().replaceAll('-', '').slice(-16)}`;

/** Requests with a session token, or without one. */
export const asker =
  (portal: TestPortal, token?: string): Ask =>
  (route, body, headers) =>
    portal.send(route, { token, body, ...(headers && { headers }) });

/** The common objects of tests: a portal, its administrator, a separate domain, a site and a farm in it. */
export type World = { portal: TestPortal; admin: Ask; domain: Json; site: Json; farm: Json };

export async function startWorld(options?: Parameters<typeof startPortal>[0]): Promise<World> {
  const portal = await startPortal(options);
  const admin = asker(portal, await portal.login('admin', adminPassword));
  const [domain, site] = [await addDomain(admin), await addSite(admin)];
  return { portal, admin, domain, site, farm: await addFarm(admin, site) };
}

/** A world for the tests of a file or of a `describe`; it is empty until their `beforeAll` hooks run. */
export function useWorld(options?: Parameters<typeof startWorld>[0]): World {
  const world = {} as World;
  beforeAll(async () => {
    Object.assign(world, await startWorld(options));
  });
  afterAll(() => world.portal.close());
  return world;
}

/** The same for a stand with more than a world. */
export function useStand<Stand extends { close(): unknown }>(start: () => Promise<Stand>): Stand {
  const stand = {} as Stand;
  beforeAll(async () => {
    Object.assign(stand, await start());
  });
  afterAll(async () => {
    await stand.close();
  });
  return stand;
}

/** The administrator of a world, which may be empty yet. */
export const adminOf =
  (world: World): Ask =>
  (...request) =>
    world.admin(...request);

/** Creates one object. @throws Error with the response when it is refused */
export async function create(ask: Ask, path: string, body: Overrides): Promise<Json> {
  const answer = await ask(`POST ${path}`, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const domainBody = (given: Overrides = {}): Overrides => {
  const name = unique('domain');
  return { name, small_name: name, type: 'internal', ...given };
};
/** A domain whose users come from a directory. */
export const directoryBody = (params: Overrides = {}, given: Overrides = {}): Overrides =>
  domainBody({
    type: 'ldap',
    params: { hosts: ['ldaps://directory.example.com'], base_dn: 'dc=example,dc=com', ...params },
    ...given,
  });
/** A domain whose users sign in at an identity provider. */
export const providerBody = (params: Overrides = {}, given: Overrides = {}): Overrides =>
  domainBody({
    type: 'oidc',
    params: { issuer: 'https://provider.example.com', client_id: 'portal', ...params },
    ...given,
  });
export const siteBody = (given: Overrides = {}): Overrides => {
  const uri = unique('site');
  return { name: uri, uri, ...given };
};

export const domainsPath = `${base}/authenticators`;
export const usersPath = (domain: Json): string => `${domainsPath}/${domain.id}/users`;
export const tagsPath = `${base}/tags`;
export const groupsPath = (domain: Json): string => `${domainsPath}/${domain.id}/groups`;

export const addDomain = (ask: Ask, given: Overrides = {}) => create(ask, domainsPath, domainBody(given));
export const addDirectory = (ask: Ask, params: Overrides = {}, given: Overrides = {}) =>
  create(ask, domainsPath, directoryBody(params, given));
export const addProvider = (ask: Ask, params: Overrides = {}, given: Overrides = {}) =>
  create(ask, domainsPath, providerBody(params, given));
export const addSite = (ask: Ask, given: Overrides = {}) => create(ask, `${base}/sites`, siteBody(given));
export const addFarm = (ask: Ask, site: Json, given: Overrides = {}) =>
  create(ask, `${base}/farms`, { name: unique('farm'), site_id: site.id, ...given });
export const addTag = (ask: Ask, given: Overrides = {}) =>
  create(ask, tagsPath, { name: unique('tag'), ...given });
export const addDispatcher = (ask: Ask, farm: Json, given: Overrides = {}) =>
  create(ask, `${base}/dispatchers`, {
    name: unique('node'),
    farm_id: farm.id,
    url: 'https://node.example.com',
    ...given,
  });
export const gatewayBody = (given: Overrides = {}): Overrides => ({
  name: unique('gateway'),
  host: 'gw.example.com',
  ...given,
});
export const addGateway = (ask: Ask, given: Overrides = {}) =>
  create(ask, `${base}/gateways`, gatewayBody(given));
export const webhookBody = (given: Overrides = {}): Overrides => ({
  name: unique('webhook'),
  url: 'https://hooks.example.com/portal',
  events: ['site.updated'],
  ...given,
});
export const addWebhook = (ask: Ask, given: Overrides = {}) =>
  create(ask, `${base}/webhooks`, webhookBody(given));
export const addTemplate = (ask: Ask, given: Overrides = {}) =>
  create(ask, `${base}/maintenance`, { name: unique('template'), message: 'Back at noon', ...given });
export const addMonitoringRecord = (ask: Ask, given: Overrides = {}) =>
  create(ask, `${base}/monitoring`, { level: 'info', message: unique('message'), ...given });
export const addPriorityGroup = (ask: Ask, given: Overrides = {}) =>
  create(ask, `${base}/priority_groups`, { name: unique('preference'), ...given });
export const rulesPath = `${base}/rules`;
/** A rule that covers pools by a tag, unless members are given. */
export const ruleBody = (site: Json, given: Overrides = {}): Overrides => ({
  name: unique('rule'),
  site_id: site.id,
  ...(!given.members && { match_tags: { any: ['office'], all: [] } }),
  ...given,
});
export const addRule = (ask: Ask, site: Json, given: Overrides = {}) =>
  create(ask, rulesPath, ruleBody(site, given));
/** A farm's part in a rule. */
let pictureWidth = 0;
/** A picture with bytes that no other test has. */
export const pictureBody = (given: Overrides = {}): Overrides => ({
  name: unique('picture'),
  image: dataUri('png', png(++pictureWidth, 7)),
  ...given,
});
export const picturesPath = `${base}/gallery/images`;
export const addPicture = (ask: Ask, given: Overrides = {}) => create(ask, picturesPath, pictureBody(given));

export const memberOf = (farm: Json, given: Overrides = {}): Overrides => ({
  farm_id: farm.id,
  servicepool_uuid: newId(),
  priority: 1,
  enabled: true,
  ...given,
});
export const addGroup = (ask: Ask, domain: Json, given: Overrides = {}) =>
  create(ask, groupsPath(domain), { name: unique('group'), ...given });
export const addUser = (ask: Ask, domain: Json, given: Overrides = {}) =>
  create(ask, usersPath(domain), { name: unique('user'), password: goodPassword, ...given });
export const addRole = (ask: Ask, permissions: readonly string[], given: Overrides = {}) =>
  create(ask, `${base}/rbac`, { name: unique('role'), permissions, ...given });

/** The answer to a login of this user. */
export const logIn = (portal: TestPortal, domain: Json, user: Json, given: Overrides = {}, ip?: string) =>
  portal.send('POST /api/auth/v7.0/login', {
    body: { username: user.name, password: goodPassword, authId: domain.id, ...given },
    ...(ip !== undefined && { ip }),
  });

export type Member = { ask: Ask; user: Json; role: Json; token: string };

/** A signed-in user with exactly these permissions; without permissions, the user has no role. */
export async function addMember(
  { portal, admin, domain }: Pick<World, 'portal' | 'admin' | 'domain'>,
  permissions: readonly string[],
  sites: '*' | readonly string[] = '*',
  given: Overrides = {},
): Promise<Member> {
  const role = permissions.length > 0 ? await addRole(admin, permissions, { scope: { sites } }) : null;
  const user = await addUser(admin, domain, { roles: role ? [role.id] : [], ...given });
  const token = (await logIn(portal, domain, user)).body.token;
  return { ask: asker(portal, token), user, role, token };
}

/** The id of a built-in role. */
export async function builtinRole(ask: Ask, name: string): Promise<string> {
  const { body } = await ask(`GET ${base}/rbac?search=${name}`);
  return body.items.find((role: Json) => role.name === name).id;
}

/** The built-in domain and its administrator. */
export async function builtin(ask: Ask): Promise<{ domain: Json; admin: Json }> {
  const { body } = await ask(`GET ${domainsPath}?search=built-in`);
  const [domain] = body.items;
  return { domain, admin: (await ask(`GET ${usersPath(domain)}?search=admin`)).body.items[0] };
}

/** Runs the work and returns the audit events it caused, oldest first. */
export async function audited<T>(portal: TestPortal, work: () => Promise<T>) {
  const read = () => portal.db.select().from(auditEvents).orderBy(asc(auditEvents.at), asc(auditEvents.id));
  const known = new Set((await read()).map(({ id }) => id));
  const result = await work();
  await portal.settled();
  return { result, events: (await read()).filter(({ id }) => !known.has(id)) };
}

/** A resource in the common tests of all resources. */
export type Resource = {
  type: string;
  path(world: World): string;
  body(world: World): Overrides;
  /** A member that any write may change: its name, another value, its default. */
  plain: readonly [name: string, value: unknown, fallback: unknown];
  sorts: readonly string[];
  bulkDestroy?: true;
  /** Default POST. */
  bulkDestroyMethod?: 'PATCH';
  /** A member that only the creation returns; null afterwards. */
  shownOnce?: string;
  /** The name is set at creation only. */
  fixedName?: true;
};

const dated = ['name', 'created_at', 'updated_at'] as const;

export const resources: readonly Resource[] = [
  {
    type: 'authenticator',
    path: () => domainsPath,
    body: () => domainBody(),
    plain: ['comments', 'noted', ''],
    sorts: ['name', 'small_name', 'priority', 'created_at'],
    bulkDestroy: true,
  },
  {
    type: 'group',
    path: ({ domain }) => groupsPath(domain),
    body: () => ({ name: unique('group') }),
    plain: ['comments', 'noted', ''],
    sorts: dated,
    bulkDestroy: true,
    fixedName: true,
  },
  {
    type: 'user',
    path: ({ domain }) => usersPath(domain),
    body: () => ({ name: unique('user'), password: goodPassword }),
    plain: ['comments', 'noted', ''],
    sorts: dated,
    bulkDestroy: true,
  },
  {
    type: 'role',
    path: () => `${base}/rbac`,
    body: () => ({ name: unique('role'), permissions: ['sites.read'] }),
    plain: ['comments', 'noted', ''],
    sorts: dated,
  },
  {
    type: 'site',
    path: () => `${base}/sites`,
    body: () => siteBody(),
    plain: ['comments', 'noted', ''],
    sorts: ['uri', 'priority', ...dated],
    bulkDestroy: true,
  },
  {
    type: 'farm',
    path: () => `${base}/farms`,
    body: ({ site }) => ({ name: unique('farm'), site_id: site.id }),
    plain: ['comments', 'noted', ''],
    sorts: ['weight', ...dated],
    bulkDestroy: true,
  },
  {
    type: 'dispatcher',
    path: () => `${base}/dispatchers`,
    body: ({ farm }) => ({ name: unique('node'), farm_id: farm.id, url: 'https://node.example.com' }),
    plain: ['priority', 7, 1],
    sorts: ['priority', ...dated],
    bulkDestroy: true,
  },
  {
    type: 'gateway',
    path: () => `${base}/gateways`,
    body: () => gatewayBody(),
    plain: ['priority', 7, 1],
    sorts: ['priority', ...dated],
    bulkDestroy: true,
    bulkDestroyMethod: 'PATCH',
    shownOnce: 'token',
  },
  {
    type: 'webhook',
    path: () => `${base}/webhooks`,
    body: () => webhookBody(),
    plain: ['comments', 'noted', ''],
    sorts: dated,
    bulkDestroy: true,
    shownOnce: 'secret',
  },
  {
    type: 'maintenance_template',
    path: () => `${base}/maintenance`,
    body: () => ({ name: unique('template'), message: 'Back at noon' }),
    plain: ['title', 'noted', ''],
    sorts: dated,
    bulkDestroy: true,
    bulkDestroyMethod: 'PATCH',
  },
  {
    type: 'priority_group',
    path: () => `${base}/priority_groups`,
    body: () => ({ name: unique('preference') }),
    plain: ['comments', 'noted', ''],
    sorts: ['priority', ...dated],
  },
  {
    type: 'rule',
    path: () => rulesPath,
    body: ({ site }) => ruleBody(site),
    plain: ['comments', 'noted', ''],
    sorts: dated,
  },
];

export type NodeOptions = {
  name?: string;
  /** Shared by the nodes of one farm. */
  state?: DispatcherState;
  pools?: PoolSeed[];
  /** Domain labels of the dispatcher; default: those of the world. */
  labels?: readonly string[];
  simulator?: Partial<SimulatorOptions>;
  dispatcher?: Overrides;
};
export type SimulatedNode = { simulator: Simulator; dispatcher: Json };

/** The shared state of the nodes of a farm. */
export const dispatcherState = (
  { domain }: Pick<World, 'domain'>,
  { pools = [], labels = [domain.small_name] }: Pick<NodeOptions, 'pools' | 'labels'> = {},
): DispatcherState =>
  createDispatcherState({
    name: unique('state'),
    domains: labels.map((label) => ({ authUuid: newId(), authSmallName: label, auth: `Domain ${label}` })),
    pools,
  });

export const pool = (name: string, given: Partial<PoolSeed> = {}): PoolSeed => ({
  name,
  protocols: ['rdp', 'spice'],
  workplaces: 3,
  entitled: 'all',
  ...given,
});

/** A simulated dispatcher node over HTTPS, registered in the farm. */
export async function addNode(world: World, farm: Json, options: NodeOptions = {}): Promise<SimulatedNode> {
  const { name = unique('node'), state = dispatcherState(world, options) } = options;
  const simulator = await startSimulator({
    state,
    name,
    issuer: baseUrl,
    jwks: async () => world.portal.deps.signingKeys.jwks,
    ...options.simulator,
  });
  const { url, caPem } = simulator;
  const given = { name, url, ca_certificate: caPem, ...options.dispatcher };
  return { simulator, dispatcher: await addDispatcher(world.admin, farm, given) };
}
